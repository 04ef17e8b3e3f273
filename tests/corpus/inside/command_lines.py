import argparse, sys
def positive(s):
    v = int(s)
    if v <= 0:
        raise argparse.ArgumentTypeError(f"{s} is not positive")
    return v
p = argparse.ArgumentParser(prog="train.py", description="Train a net.", epilog="Bye %(prog)s", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
p.add_argument("data", nargs="?", default="mnist", help="which data")
p.add_argument("--lr", "-l", type=float, default=1e-3, metavar="LR", help="learning rate")
p.add_argument("--epochs", type=positive, default=10, help="number of epochs")
p.add_argument("--opt", choices=["sgd", "adam"], default="sgd")
p.add_argument("-v", "--verbose", action="count", default=0)
p.add_argument("--sizes", type=int, nargs="+", default=[1, 2])
p.add_argument("--tag", action="append")
p.add_argument("--fast", action=argparse.BooleanOptionalAction, default=True)
g = p.add_mutually_exclusive_group()
g.add_argument("--cpu", action="store_true")
g.add_argument("--gpu", action="store_const", const="cuda:0", dest="device")
p.add_argument("--version", action="version", version="%(prog)s 1.0")
q = p.add_argument_group("extra", "more options")
q.add_argument("--no-cuda", action="store_true", default=False, help=argparse.SUPPRESS)
p.print_help()
p.print_usage()
for words in ([], ["x", "--lr=0.5", "-vv"], ["-l.1", "--sizes", "3", "4", "--tag", "a", "--tag=b", "--no-fast"], ["--gpu", "--no-cuda"]):
    a = p.parse_args(words)
    print(a)
    print(vars(a)["lr"], a.lr, "lr" in a, a.opt)
for words in (["--lr", "x"], ["--opt", "zz"], ["--epochs", "-3"], ["--bogus"], ["--cpu", "--gpu"], ["a", "b"], ["--lr"], ["--ver"], ["--v"]):
    try:
        p.parse_args(words)
    except SystemExit as e:
        print("exit", e.code)
print(p.parse_known_args(["--lr", "1", "--bogus", "3"]))
p.set_defaults(lr=7, extra="e")
print(p.parse_args([]), p.get_default("lr"))
s = argparse.ArgumentParser(prog="git")
sub = s.add_subparsers(dest="cmd", required=True)
t = sub.add_parser("train", help="train it")
t.add_argument("--n", type=int, default=3)
t.set_defaults(func=lambda a: a.n * 2)
a = s.parse_args(["train", "--n", "5"])
print(a.cmd, a.n, a.func(a))
print(s.format_help())
try:
    p.add_argument("--lr")
except argparse.ArgumentError as e:
    print(e)
ns = argparse.Namespace(a=1, b="x")
print(ns, ns == argparse.Namespace(a=1, b="x"), vars(ns))
p.parse_args(["--version"])
print("not reached")
