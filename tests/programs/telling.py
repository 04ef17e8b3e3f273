"""What programs begin with that tell of calls one by one: each result with its graph, or the error."""

TELL = """
def tell(*acts):
    for act in acts:
        try:
            out = act()
            show('out', out)
            if isinstance(out, torch.Tensor) and out.requires_grad:
                graph(out)
        except Exception as e:
            print(type(e).__name__, e)"""
