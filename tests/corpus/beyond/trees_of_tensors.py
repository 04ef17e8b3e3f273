import torch
from torch.utils._pytree import tree_flatten, tree_unflatten, tree_map, tree_map_only, tree_leaves, tree_structure, tree_all, tree_any, tree_map_, TreeSpec, LeafSpec, tree_iter, tree_all_only, tree_any_only, register_pytree_node, tree_map_only_
import torch.utils._pytree as pytree
from collections import OrderedDict, namedtuple, defaultdict, deque
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:300])
P=namedtuple('P','a b')
x={'b':torch.ones(2),'a':[1,(2,None)],'c':P(3,[4])}
l,s=tree_flatten(x); print(l); print(s); print(s.num_leaves, s.type, s.context, s.num_children, s.num_nodes, s.is_leaf())
print(tree_unflatten(l,s)); print(tree_unflatten([0]*6, s) if s.num_leaves==6 else 0)
print(tree_map(lambda v: v if v is None else v*2, x))
print(tree_map(lambda a,b: a+b, [1,(2,3)], [10,(20,30)]))
t(lambda: tree_map(lambda a,b: a+b, [1,2], [1])); t(lambda: tree_map(lambda a,b: a+b, [1,2], (1,2))); t(lambda: tree_unflatten([1], s)); t(lambda: tree_unflatten(1, s))
print(tree_leaves(x), tree_structure([1,(2,)]), tree_structure(1), tree_flatten(3))
print(tree_map_only(torch.Tensor, lambda v: v.sum(), x)); print(tree_map_only((int,), lambda v: -v, x)); print(tree_map_only(int, str, [1,'a',2.]))
print(tree_all(lambda v: v is not None, x), tree_any(lambda v: v is None, x), list(tree_iter([1,[2]])), tree_all_only(int, lambda v: v>0, x), tree_any_only(int, lambda v: v>3, x))
print(tree_map(lambda v: v+1, OrderedDict(a=1,b=[2])), tree_structure(OrderedDict(a=1)))
print(tree_map(lambda v: v+1, defaultdict(int,{'a':1})), tree_map(lambda v:v+1, deque([1,2])), tree_structure(defaultdict(int,{'a':1})), tree_structure(deque([1,2],maxlen=3)))
print(s==tree_structure(x), s!=tree_structure([1]), tree_structure([1,2])==tree_structure([3,4]), hash(s)==hash(tree_structure(x)) if False else '')
print(tree_map(lambda v: v, [], ), tree_structure([]), tree_structure({}), tree_structure(()), tree_flatten([]))
print(tree_map(lambda v: v, {'a':[1,2]}, is_leaf=lambda v: isinstance(v,list)))
print(tree_structure({'a':1,'b':{'c':[1,2]}}))
print(tree_leaves([1,None,2], is_leaf=lambda v: v is None))
class Q:
    def __init__(self,a,b): self.a,self.b=a,b
register_pytree_node(Q, lambda q: ((q.a,), q.b), lambda c, ctx: Q(*c, ctx))
q=tree_map(lambda v:v*2, Q(1,'k')); print(q.a,q.b, tree_structure(Q(1,2)))
t(lambda: register_pytree_node(Q, 1, 2))
print(isinstance(s, TreeSpec), isinstance(tree_structure(1), LeafSpec), s.child(0) if hasattr(s,'child') else '')
print(tree_map(lambda g: g.shape, {'w':torch.ones(2,3)}), pytree.tree_map is tree_map)
a=[torch.zeros(1)]; tree_map_(lambda v: v.add_(1), a); print(a)
print(torch.utils._pytree.tree_flatten((1,2))[0], torch.Size([1,2]), tree_flatten(torch.Size([1,2])))
import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook, register_optimizer_step_post_hook
p=torch.nn.Parameter(torch.ones(2)); o=torch.optim.SGD([p],lr=0.1)
a=register_optimizer_step_pre_hook(lambda o,args,kw: print("pre all", type(o).__name__, len(args), kw))
b=register_optimizer_step_post_hook(lambda o,args,kw: print("post all"))
o.register_step_pre_hook(lambda o,args,kw: print("pre")); o.register_step_post_hook(lambda o,args,kw: print("post"))
(p*p).sum().backward(); o.step(); a.remove(); o.step(); b.remove(); o.step()
print(p)
