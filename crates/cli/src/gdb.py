# Tells gdb where each folded rank's copy of the program is, as soon as it is loaded. Read by `mpirage gdb`.
import gdb


def text_at(address):
    """The C string there; the simulator has no types that gdb could use."""
    text = b""
    while not text.endswith(b"\0"):
        text += bytes(gdb.selected_inferior().read_memory(address + len(text), 1))
    return text[:-1].decode()


class Loaded(gdb.Breakpoint):
    """Stops nowhere: notes the copy that has just been loaded."""

    def __init__(self):
        super().__init__("*mpirage_fold_ready", internal=True)
        self.bases = {}

    def stop(self):
        rank, base, name = (int(gdb.selected_frame().read_register(register)) for register in ("rdi", "rsi", "rdx"))
        path = text_at(name)
        self.bases[rank] = (base, path)
        gdb.execute(f'add-symbol-file "{path}" -o {base:#x}', to_string=True)
        return False


class WhichRank(gdb.Command):
    """mpirage-rank: which folded rank the current frame belongs to."""

    def __init__(self, loaded):
        super().__init__("mpirage-rank", gdb.COMMAND_STACK)
        self.loaded = loaded

    def invoke(self, argument, from_tty):
        frame = gdb.newest_frame()
        while frame is not None:
            below = [(frame.pc() - base, rank) for rank, (base, _) in self.loaded.bases.items() if base <= frame.pc()]
            if below and min(below)[0] < 1 << 30:
                print(f"rank {min(below)[1]}")
                return
            frame = frame.older()
        print("no rank: this is the simulator")


gdb.execute("set breakpoint pending on")
gdb.execute("set confirm off")
gdb.execute("set multiple-symbols all")
# The simulator uses these itself: to interrupt ranks, and to hear of ends.
gdb.execute("handle SIGVTALRM SIGCHLD nostop noprint pass", to_string=True)
WhichRank(Loaded())
