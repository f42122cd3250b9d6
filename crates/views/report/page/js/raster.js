// The coloured part of the timeline: one line of pixels per rank (or per line of the screen, if ranks are more than lines),
// filled from tiles when calls are too many to be seen, and from the calls themselves otherwise.

/** If more calls are in sight, tiles are drawn. */
const MOST_CALLS = 150000;
/** If calls have this many pixels each, on average, they are drawn and not the tiles. */
const FEW_CALLS = 5;
/** A tile as wide as this many pixels is too coarse if calls are known. */
const COARSE_TILE = 1.5;

/** A frame may spend so long on unpacking calls. */
const UNPACK_MS = 6;

class Raster {
  constructor(run, calls) {
    this.run = run;
    this.calls = calls;
    this.ends = run.section("rank_end");
    this.levels = (run.timeline.levels ?? []).map((level) => ({
      bins: level.bins, what: run.section(level.section), share: run.section(level.share ?? `${level.section}_share`),
      shaded: null,
    })).filter((level) => level.what);
    this.categoryOf = functionCategories(run);
    this.canvas = document.createElement("canvas");
    this.restyle(null);
    onTheme(() => this.restyle(this.matches));
  }

  /** Colours as whole pixels; what does not match a search is faded. */
  restyle(matches) {
    this.matches = matches;
    const pixel = ([red, green, blue]) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
    const paper = rgb(colour("paper"));
    const strong = CATEGORIES.map((name) => rgb(colour(name)));
    const shown = strong.map((channels) => matches ? mix(channels, paper, 0.78) : channels);
    this.pixels = Uint32Array.from(shown, pixel);
    this.strong = Uint32Array.from(strong, pixel);
    // 32 shades of each category, by the share of the tile that it fills.
    this.shades = Uint32Array.from({ length: 32 * 8 }, (_, at) =>
      at >> 5 < shown.length ? pixel(mix(paper, shown[at >> 5], 0.3 + 0.7 * (at & 31) / 31)) : 0);
  }

  /** How the view is drawn: from calls, or from which level of tiles. */
  choose(view, width) {
    const span = view.to - view.from, whole = this.run.timeline.seconds * 1e9;
    const pixelsPerBin = (bins) => width * (whole / bins) / span;
    const finest = this.levels.at(-1), inSight = this.calls.known ? this.callsInSight(view) : Infinity;
    const fine = !finest || pixelsPerBin(finest.bins) > COARSE_TILE, few = inSight < (view.bottom - view.top) * width / FEW_CALLS;
    if ((fine || few) && inSight <= MOST_CALLS) return { calls: true };
    return { level: this.levels.find((level) => pixelsPerBin(level.bins) <= 2) ?? finest };
  }

  callsInSight(view) {
    // The mean rate is enough to decide.
    const ranks = view.bottom - view.top, all = this.run.run?.ranks ?? this.calls.log.ranks;
    return this.run.events.count * (ranks / all) * ((view.to - view.from) / (this.run.timeline.seconds * 1e9));
  }

  /** Draws the view into a rectangle; says what it was drawn from. */
  draw(context, timeline, left, top, width, height, scale) {
    const { view } = timeline, wide = Math.max(1, Math.round(width * scale)), ranks = view.bottom - view.top;
    const first = Math.floor(view.top), byRank = ranks < height * scale;
    const lines = byRank ? Math.ceil(view.bottom) - first : Math.round(height * scale);
    if (this.canvas.width !== wide || this.canvas.height !== lines) {
      this.canvas.width = wide;
      this.canvas.height = lines;
      this.image = null;
    }
    const pen = this.canvas.getContext("2d", { willReadFrequently: true });
    this.image ??= pen.createImageData(wide, lines);
    const pixels = new Uint32Array(this.image.data.buffer);
    const source = this.choose(view, wide), count = timeline.lines;
    if (source.level || this.levels.length) this.prepareTiles(source.level ?? this.levels.at(-1), view, wide);
    this.unpacking = performance.now() + UNPACK_MS;
    this.incomplete = false;
    for (let line = 0; line < lines; line += 1) {
      const shown = byRank ? first + line : Math.floor(view.top + (line + 0.5) * ranks / lines), rank = shown < count ? timeline.rankAt(shown) : count;
      const row = pixels.subarray(line * wide, (line + 1) * wide);
      if (shown < 0 || shown >= count) row.fill(0);
      else if (source.calls && this.ready(rank)) this.drawCalls(row, rank, view);
      else this.drawTiles(row, rank, source.level ?? this.levels.at(-1));
    }
    if (!byRank) {
      context.putImageData(this.image, Math.round(left * scale), Math.round(top * scale));
      return source;
    }
    pen.putImageData(this.image, 0, 0);
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.imageSmoothingEnabled = false;
    const rankHeight = height / ranks;
    context.drawImage(this.canvas, left, top + (first - view.top) * rankHeight, width, lines * rankHeight);
    context.restore();
    return source;
  }

  /** What all lines share: the tile of each column of pixels, and category and shade of each tile in one byte. */
  prepareTiles(level, view, wide) {
    const perBin = this.run.timeline.seconds * 1e9 / level.bins, step = (view.to - view.from) / wide / perBin;
    if (this.columns?.length !== wide) this.columns = new Uint32Array(wide);
    this.inside = 0;
    for (let x = 0, at = view.from / perBin + step / 2; x < wide && at < level.bins; x += 1, at += step) this.columns[this.inside++] = at;
    const { what, share } = level;
    level.shaded ??= what.map((category, at) => category << 5 | (share ? share[at] >> 3 : 31));
  }

  /** Whether the calls of a rank are unpacked, or can be in this frame. Otherwise tiles are drawn until the next one. */
  ready(rank) {
    if (this.calls.has(rank) || performance.now() < this.unpacking || !this.levels.length) return true;
    this.incomplete = true;
    return false;
  }

  drawTiles(pixels, rank, level) {
    const base = Math.floor(rank / this.run.timeline.ranks_per_row) * level.bins, { shades, columns, inside } = this, { shaded } = level;
    for (let x = 0; x < inside; x += 1) pixels[x] = shades[shaded[base + columns[x]]];
    pixels.fill(0, inside);
  }

  drawCalls(pixels, rank, view) {
    const calls = this.calls.of(rank), wide = pixels.length, perPixel = (view.to - view.from) / wide;
    const begun = view.from, scale = 1 / perPixel;
    const place = (time) => Math.max(0, Math.min(wide, Math.round((time - begun) * scale)));
    const end = place((this.ends?.[rank] ?? this.run.timeline.seconds) * 1e9), begin = place(0);
    pixels.fill(0, 0, begin);
    pixels.fill(this.pixels[COMPUTE], begin, end);
    pixels.fill(this.pixels[0], end, place(this.run.timeline.seconds * 1e9));
    pixels.fill(0, place(this.run.timeline.seconds * 1e9));
    const { matches, categoryOf } = this, { start, end: ends, late, what, site, count } = calls, until = view.to;
    for (let at = Math.max(0, firstAbove(start, begun) - 1); at < count && start[at] < until; at += 1) {
      if (ends[at] < begun) continue;
      const category = categoryOf[what[at]], to = Math.min(wide, Math.round((ends[at] - begun) * scale));
      let x = Math.max(0, Math.round((start[at] - begun) * scale));
      const strong = matches && (matches.functions[what[at]] || matches.sites[site[at]]);
      const ink = strong ? this.strong[category] : this.pixels[category];
      // The waiting part of a call comes first. A call is at least one pixel wide.
      if (late[at] > start[at]) {
        const wait = strong ? this.strong[WAIT] : this.pixels[WAIT], until = Math.min(wide, Math.round((late[at] - begun) * scale));
        while (x < until) pixels[x++] = wait;
        if (x >= to) continue;
      }
      do pixels[x] = ink; while (++x < to);
    }
  }

  /** The tile under a point, for the tooltip. */
  tileAt(rank, time, level) {
    const { seconds, ranks_per_row: group } = this.run.timeline;
    const row = Math.floor(rank / group), bin = Math.floor(time / (seconds * 1e9) * level.bins);
    if (bin < 0 || bin >= level.bins) return null;
    const at = row * level.bins + bin;
    return {
      category: CATEGORIES[level.what[at]], share: level.share ? level.share[at] / 255 : null,
      from: bin * seconds / level.bins, to: (bin + 1) * seconds / level.bins, firstRank: row * group, lastRank: (row + 1) * group - 1,
    };
  }
}
