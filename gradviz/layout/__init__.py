"""From a graph to boxes and routes. The only room that knows networkx and Graphviz; it knows no Qt."""
