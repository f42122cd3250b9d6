// Energy: power over time by host, and what burns while ranks wait.

const POWER_ROWS = 32, POWER_ROW = 14, POWER_TOTAL = 60;

function energyPanel(run) {
  const energy = run.run?.energy;
  if (!energy) return null;
  return el("div", {}, energyParts(energy), powerFigure(run.run), energyHosts(energy), el("div", { class: "columns" }, waitingByFunction(energy), waitingByRank(energy)));
}

/** A number with three digits and the prefix that suits it. */
function formatQuantity(value, unit) {
  const [scale, prefix] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]].find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  return `${Number((value / scale).toPrecision(3))} ${prefix}${unit}`;
}

const formatJoules = (value) => formatQuantity(value, "J"), formatWatts = (value) => formatQuantity(value ?? 0, "W");

function energyParts(energy) {
  const used = energy.hosts.reduce((sum, host) => sum + host.joules, 0), waiting = Math.min(used, energy.waiting?.joules ?? 0);
  const parts = [
    { name: "hosts with ranks, apart from ranks inside MPI", value: used - waiting, colour: "var(--compute)" },
    { name: "ranks inside MPI", value: waiting, colour: "var(--wait)" },
    { name: plural(energy.unused_hosts, "unused host"), value: energy.unused_hosts_joules, colour: "var(--other)" },
    { name: "links", value: energy.links_joules, colour: "var(--p2p)" },
    { name: "memory", value: energy.memory_joules, colour: "var(--collective)" },
  ];
  return figure(`${formatJoules(energy.joules)}, ${formatWatts(energy.mean_watts)} on average`, {
    name: "energy", note: `Energy-delay product ${formatQuantity(energy.energy_delay, "J·s")}.`,
    csv: () => [["part", "joules"], ...parts.map((part) => [part.name, part.value])],
  }, stackedBar("Energy by part", parts, formatJoules));
}

/** The power of all hosts with ranks as a curve, and below it a row per host with power as colour. */
function powerFigure({ energy, simulated_seconds: end }) {
  const { watts, by_host: byHost = [], resolution_seconds: step } = energy.power, shown = Math.min(byHost.length, POWER_ROWS);
  if (!watts.length || !(end > 0)) return null;
  const most = watts.reduce((a, b) => Math.max(a, b), 0), ofHost = byHost.slice(0, shown).reduce((a, row) => row.reduce((b, c) => Math.max(b, c), a), 0);
  const height = POWER_TOTAL + 24 + shown * POWER_ROW + 26;
  const { canvas } = liveCanvas("Power over time, of all hosts and by host", height, (context, width) => {
    const plot = width - LINK_LEFT - LINK_RIGHT, across = (seconds) => LINK_LEFT + plot * Math.min(1, seconds / end);
    context.clearRect(0, 0, width, height);
    context.font = canvasFont(12);
    context.fillStyle = colour("compute");
    watts.forEach((value, at) => {
      const tall = most ? POWER_TOTAL * value / most : 0;
      context.fillRect(across(at * step), 10 + POWER_TOTAL - tall, across((at + 1) * step) - across(at * step) + 0.5, tall);
    });
    byHost.slice(0, shown).forEach((row, host) => row.forEach((value, at) => {
      context.fillStyle = css(scaleColour("load", ofHost ? value / ofHost : 0));
      context.fillRect(across(at * step), POWER_TOTAL + 24 + host * POWER_ROW, across((at + 1) * step) - across(at * step) + 0.5, POWER_ROW - 1);
    }));
    context.textAlign = "right";
    context.fillStyle = colour("ink");
    context.fillText("all hosts with ranks", LINK_LEFT - 8, 10 + POWER_TOTAL - 4);
    energy.hosts.slice(0, shown).forEach((host, at) => {
      context.fillText(clipped(context, host.host, LINK_LEFT - 14), LINK_LEFT - 8, POWER_TOTAL + 35 + at * POWER_ROW);
      context.fillText(formatWatts(host.mean_watts), width - 4, POWER_TOTAL + 35 + at * POWER_ROW);
    });
    context.fillText(`≤ ${formatWatts(most)}`, width - 4, 20);
    drawTimes(context, width, POWER_TOTAL + 26 + shown * POWER_ROW, { bins: 1, bin_seconds: end });
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = Math.floor((event.offsetX - LINK_LEFT) / (canvas.clientWidth - LINK_LEFT - LINK_RIGHT) * end / step), row = Math.floor((event.offsetY - POWER_TOTAL - 24) / POWER_ROW);
    if (at < 0 || at >= watts.length || row >= shown) return hideTooltip();
    const [name, value] = row >= 0 ? [energy.hosts[row].host, byHost[row][at] ?? 0] : ["All hosts with ranks", watts[at]];
    showTooltip(event.clientX, event.clientY, name, [["from", formatTime(at * step)], ["to", formatTime(Math.min(end, (at + 1) * step))], ["power", formatWatts(value)]]);
  });
  canvas.addEventListener("pointerleave", hideTooltip);
  return figure("Power over time", {
    name: "power", note: shown < byHost.length ? `The first ${shown} of ${byHost.length} hosts with ranks.` : null,
    csv: () => [["host", "from_seconds", "watts"], ...watts.map((value, at) => ["all", at * step, value]), ...byHost.flatMap((row, host) => row.map((value, at) => [energy.hosts[host].host, at * step, value]))],
  }, canvas, shown ? scaleLegend("load", "no power", formatWatts(ofHost)) : null);
}

function energyHosts(energy) {
  const changed = energy.hosts.some((host) => host.state_changes > 0);
  return figure("Hosts", {
    name: "energy-hosts", csv: () => [["host", "joules", "mean_watts", "core_seconds", "state_changes"], ...energy.hosts.map((host) => [host.host, host.joules, host.mean_watts, host.core_seconds, host.state_changes])],
  }, sortableTable("Energy of hosts with ranks", [
    { key: "host", title: "Host" }, { key: "joules", title: "Energy", number: true, show: formatJoules }, { key: "mean_watts", title: "Mean power", number: true, show: formatWatts },
    { key: "core_seconds", title: "Computing, all cores", number: true, show: formatTime },
    ...changed ? [{ key: "state_changes", title: "Changes of state", number: true, show: formatCount }] : [],
  ], energy.hosts, "joules"));
}

function waitingByFunction({ waiting }) {
  if (!waiting?.by_function.length) return null;
  return figure("Energy while ranks are inside MPI, by function", {
    name: "energy-functions", csv: () => [["function", "seconds", "joules"], ...waiting.by_function.map((row) => [row.function, row.seconds, row.joules])],
  }, sortableTable("Energy inside MPI by function", [
    { key: "function", title: "Function", code: true }, { key: "seconds", title: "Time, all ranks", number: true, show: formatTime }, { key: "joules", title: "Energy", number: true, show: formatJoules },
  ], waiting.by_function, "joules"));
}

function waitingByRank({ waiting }) {
  if (!waiting?.by_function.length) return null;
  const rows = waiting.by_rank.map((joules, rank) => ({ rank, joules }));
  return figure("By rank", {
    name: "energy-ranks", csv: () => [["rank", "joules"], ...rows.map((row) => [row.rank, row.joules])],
  }, sortableTable("Energy inside MPI by rank", [
    { key: "rank", title: "Rank", number: true }, { key: "joules", title: "Energy", number: true, show: formatJoules },
  ], rows, "joules"));
}
