/** Begins the page: unpacks its style and its module, which the policy of the page knows by their hashes. */
for (const [id, tag] of [["style", "style"], ["module", "script"]]) {
  const packed = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const element = document.createElement(tag);
  if (tag === "script") element.setAttribute("type", "module");
  element.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  document.head.append(element);
}
