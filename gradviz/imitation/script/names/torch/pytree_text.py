"""`torch.utils._pytree`, for the machine to read: containers taken apart to leaves and put together again.

Source: torch/utils/_pytree.py, for what is a container, the order of leaves, and how a structure shows itself.
"""

from __future__ import annotations

PYTREE = """
class _Kind:
    def __init__(self, flatten, unflatten): self.flatten, self.unflatten = flatten, unflatten

def _plain_list(values): return list(values), None

_KINDS = {
    tuple: _Kind(_plain_list, lambda values, context: tuple(values)),
    list: _Kind(_plain_list, lambda values, context: list(values)),
    dict: _Kind(lambda d: (list(d.values()), list(d.keys())), lambda values, keys: dict(zip(keys, values))),
    namedtuple: _Kind(lambda t: (list(t), type(t)), lambda values, kind: kind(*values)),
    OrderedDict: _Kind(
        lambda d: (list(d.values()), list(d.keys())), lambda values, keys: OrderedDict(zip(keys, values))),
    defaultdict: _Kind(
        lambda d: (list(d.values()), [d.default_factory, list(d.keys())]),
        lambda values, context: defaultdict(context[0], zip(context[1], values))),
    deque: _Kind(lambda d: (list(d), d.maxlen), lambda values, most: deque(values, maxlen=most)),
    torch.Size: _Kind(_plain_list, lambda values, context: torch.Size(values)),
}

def register_pytree_node(cls, flatten_fn, unflatten_fn, **_):
    if cls in _KINDS:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _KINDS[cls] = _Kind(flatten_fn, unflatten_fn)

def _kind_of(tree):
    kind = type(tree)
    return namedtuple if issubclass(kind, tuple) and hasattr(kind, "_fields") else kind

def _is_leaf(tree, is_leaf=None): return (is_leaf is not None and is_leaf(tree)) or _kind_of(tree) not in _KINDS

class TreeSpec:
    def __init__(self, type, context, children_specs):
        self.type, self.context, self._children = type, context, list(children_specs)
        self.num_nodes = 1 + sum(child.num_nodes for child in self._children)
        self.num_leaves = sum(child.num_leaves for child in self._children)
        self.num_children = len(self._children)
    def __repr__(self, indent=0):
        inner = indent + 2
        parts = [child.__repr__(inner) for child in self._children]
        name = "namedtuple" if self.type is namedtuple else self.type.__name__
        return f"TreeSpec({name}, {self.context}, [" + (",\\n" + " " * inner).join(parts) + "])"
    def __eq__(self, other):
        if not isinstance(other, TreeSpec):
            return NotImplemented
        same = self.type is other.type and self.context == other.context
        return same and self._children == other._children
    def __hash__(self): return hash((self.num_nodes, self.num_leaves))
    def is_leaf(self): return self.num_nodes == 1 and self.num_leaves == 1
    def children(self): return list(self._children)
    def child(self, index): return self._children[index]
    def flatten_up_to(self, tree):
        if self.is_leaf():
            return [tree]
        if _is_leaf(tree) or _kind_of(tree) is not self.type:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        values, context = _KINDS[self.type].flatten(tree)
        if len(values) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children!r}, but got {len(values)!r}.")
        if self.type in (dict, OrderedDict, defaultdict):
            values = [tree[key] for key in (self.context[1] if self.type is defaultdict else self.context)]
        return [leaf for child, value in zip(self._children, values) for leaf in child.flatten_up_to(value)]
    def unflatten(self, leaves):
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree "
                f"that holds {self.num_leaves} items ({self}).")
        return self._made(iter(leaves))
    def _made(self, leaves):
        return _KINDS[self.type].unflatten([child._made(leaves) for child in self._children], self.context)

class LeafSpec(TreeSpec):
    def __init__(self):
        self.type = self.context = None
        self._children, self.num_nodes, self.num_leaves, self.num_children = [], 1, 1, 0
    def __repr__(self, indent=0): return "*"
    def _made(self, leaves): return next(leaves)

def _taken_apart(tree, leaves, is_leaf):
    if _is_leaf(tree, is_leaf):
        leaves.append(tree)
        return LeafSpec()
    kind = _kind_of(tree)
    values, context = _KINDS[kind].flatten(tree)
    return TreeSpec(kind, context, [_taken_apart(value, leaves, is_leaf) for value in values])

def tree_flatten(tree, is_leaf=None):
    leaves = []
    spec = _taken_apart(tree, leaves, is_leaf)
    return leaves, spec
def tree_leaves(tree, is_leaf=None): return tree_flatten(tree, is_leaf)[0]
def tree_structure(tree, is_leaf=None): return tree_flatten(tree, is_leaf)[1]
def tree_iter(tree, is_leaf=None): yield from tree_leaves(tree, is_leaf)
def tree_is_leaf(tree, is_leaf=None): return _is_leaf(tree, is_leaf)
def tree_unflatten(leaves, treespec):
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item of type "
            f"{type(treespec)}.")
    return treespec.unflatten(leaves)
def tree_map(func, tree, *rests, is_leaf=None):
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *[spec.flatten_up_to(rest) for rest in rests]))
def tree_map_(func, tree, *rests, is_leaf=None):
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree
def map_only(kinds, /):
    def wrapped(func):
        return lambda x: func(x) if (isinstance(x, kinds) if isinstance(kinds, (type, tuple)) else kinds(x)) else x
    return wrapped
def tree_map_only(kinds, /, func, tree, is_leaf=None): return tree_map(map_only(kinds)(func), tree, is_leaf=is_leaf)
def tree_map_only_(kinds, /, func, tree, is_leaf=None): return tree_map_(map_only(kinds)(func), tree, is_leaf=is_leaf)
def tree_all(pred, tree, is_leaf=None): return all(map(pred, tree_leaves(tree, is_leaf)))
def tree_any(pred, tree, is_leaf=None): return any(map(pred, tree_leaves(tree, is_leaf)))
def tree_all_only(kind, /, pred, tree, is_leaf=None):
    return all(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, kind))
def tree_any_only(kind, /, pred, tree, is_leaf=None):
    return any(pred(leaf) for leaf in tree_leaves(tree, is_leaf) if isinstance(leaf, kind))
"""
