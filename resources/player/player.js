/**
 * The player: steps, plays and scrubs a recording in a browser. The page holds words and places that were found by
 * gradviz; here is only what changes with time: which box is current, which gradient has gone out, what is selected.
 *
 * What stands in the data is text to the page, never markup: everything is written by `textContent`.
 */

// ---- the data ----------------------------------------------------------------------------------------------------

/** @typedef {{shape: number[], cells?: string[], text?: string, figures?: string}} Numbers  An array, in words where it is large. */
/** @typedef {[number, any][]} Runs  A section of a page: each content holds from its position on. */
/** @typedef {{boxes: number[][], curves: number[][], frames: number[][], bounds: number[]}} Plan */
/** @typedef {{kind: number, sign: string, name: string, word: string, badge: string, value: string, gradient: string, row: boolean, takes: boolean, odd: boolean, times: number[], node: number, group: any}} Box */
/** @typedef {[number, number, number, number, number, number, string]} Edge  Source, consumer, begun, sent (0 never), takes a gradient, width, gradient. */
/** @typedef {{plan: number, at: number[], stops: number[], said: string[][], boxes: Box[], edges: Edge[], frames: string[], framed: number[], groups: number[]}} View  The last two are the groups of frames and boxes, or -1. */
/** @typedef {{parent: number, size: number[], box: Box}} Fold  A group as one box. */
/** @typedef {{title: string, heading: string, turn: number, length: number, lines: number[], names: string[], ran: number[], pages: Record<string, Runs>[], views: View[], homes: number[], folds: Fold[]}} Sweep  homes: the innermost group of each box of the last view. */
/** @typedef {{format: string, version: number, name: string, script: string, output: string, notes: string[], problem: string, start: number[], dark: boolean, plans: Plan[], sweeps: Sweep[]}} Recording */

const MOST_BYTES = 256 * 1024 * 1024;
const LINK_LIMIT = 4096;

/** Data that are not what they should be. */
class Damaged extends Error {}

/**
 * Unpack what `gradviz.player.packing` packed.
 * @param {string} packed
 * @returns {Promise<unknown>}
 */
async function unpacked(packed) {
  let bytes;
  try {
    bytes = Uint8Array.from(atob(packed.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Damaged("its letters are not those of packed data");
  }
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > MOST_BYTES) throw new Damaged("it is too large");
      text += decoder.decode(part.value, {stream: true});
    }
  } catch (error) {
    throw error instanceof Damaged ? error : new Damaged("it is cut off or was changed on its way");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Damaged("it is not what gradviz wrote");
  }
}

/** @typedef {(value: any, where: string) => void} Check */

/** @param {boolean} holds @param {string} where */
function must(holds, where) {
  if (!holds) throw new Damaged(`${where} is not as it should be`);
}

/** @type {Check} */
const isText = (value, where) => must(typeof value === "string", where);
/** @type {Check} */
const isCount = (value, where) => must(Number.isSafeInteger(value) && value >= -1, where);
/** @type {Check} */
const isFlag = (value, where) => must(typeof value === "boolean", where);
/** @type {Check} */
const isNumber = (value, where) => must(Number.isFinite(value), where);
/** @param {Check} check @param {number} [length] @returns {Check} */
const listOf = (check, length) => (value, where) => {
  must(Array.isArray(value) && (length === undefined || value.length === length), where);
  for (const item of value) check(item, where);
};
/** @param {Record<string, Check>} members @returns {Check} */
const has = (members) => (value, where) => {
  must(typeof value === "object" && value !== null && !Array.isArray(value), where);
  for (const [name, check] of Object.entries(members)) check(Object.hasOwn(value, name) ? value[name] : undefined, `${where}: ${name}`);
};
/** @param {Check[]} checks @returns {Check} */
const row = (...checks) => (value, where) => {
  must(Array.isArray(value) && value.length === checks.length, where);
  checks.forEach((check, place) => check(value[place], where));
};
/** @param {Check} check @returns {Check} */
const orNull = (check) => (value, where) => value === null || check(value, where);
/** @type {Check} */
const isArray = (value, where) => {
  has({shape: listOf(isCount)})(value, where);
  if (value.cells === undefined) has({text: isText, figures: isText})(value, where);
  else listOf(isText)(value.cells, where);
};
/** @type {Check} */
const isArrayOrText = (value, where) => typeof value === "string" || isArray(value, where);
/** @type {Check} */
const isPiece = (value, where) => {
  must(Array.isArray(value) && value.length > 0 && value.length < 4, where);
  isText(value[0], where);
  listOf(isNumber)(value.slice(1), where);
};
const isFormula = listOf(isPiece);
/** Members that may be missing where a section has nothing to say. @param {Record<string, Check>} members @returns {Check} */
const some = (members) => (value, where) => {
  has({})(value, where);
  for (const [name, check] of Object.entries(members)) if (Object.hasOwn(value, name)) check(value[name], `${where}: ${name}`);
};
/** @type {Check} */
const isFactor = (value, where) => {
  has({name: isText, size: isText, words: isText, cost: isText, rows: listOf(listOf(isText)), sent: listOf(isText)})(value, where);
  must(value.rows.every((/** @type {string[]} */ each) => each.length === value.sent.length), where);
};
/** @type {Record<string, Check>} */
const SECTIONS = {
  about: has({title: isText, name: isText, op: isText, line: isCount, scope: listOf(isText), remark: isText, kind: isText, params: listOf(row(isText, isText))}),
  progress: isText,
  value: isArrayOrText,
  terms: listOf(row(isText, orNull(isArray), isCount)),
  came: some({total: orNull(isArray), so_far: orNull(isArray), note: isText, count: isCount}),
  rule: some({equation: isText, lines: listOf(row(isFormula, isFormula)), jacobian: isText, note: isText, unknown: isText}),
  product: has({name: isText, v: listOf(isText), factors: listOf(isFactor), note: isText, more: isCount}),
  sent: listOf(row(isText, isText, isArrayOrText)),
  grad: some({name: isText, before: isArrayOrText, after: orNull(isArray), note: isText}),
  saved: some({note: isText, rows: listOf(row(isText, isText, isArrayOrText))}),
};
/** @type {Check} */
const isPage = (value, where) => {
  has({})(value, where);
  for (const [name, check] of Object.entries(SECTIONS)) {
    if (!Object.hasOwn(value, name)) continue;
    listOf(row(isCount, check))(value[name], `${where}: ${name}`);
  }
  must(Array.isArray(value.about) && value.about.length > 0, where);
};
const isFlow = listOf(row(isText, isText, isArrayOrText));
const isGroup = orNull(has({title: isText, words: isText, ops: isText, inputs: isFlow, outputs: isFlow}));
const isBox = has({kind: isCount, sign: isText, name: isText, word: isText, badge: isText, value: isText, gradient: isText, row: isFlag, takes: isFlag, odd: isFlag, times: listOf(isCount, 3), node: isCount, group: isGroup});
const isView = has({plan: isCount, at: listOf(isCount), stops: listOf(isCount), said: listOf(listOf(isText, 2)), boxes: listOf(isBox), edges: listOf(row(isCount, isCount, isCount, isCount, isNumber, isNumber, isText)), frames: listOf(isText), framed: listOf(isCount), groups: listOf(isCount)});
const isFold = has({parent: isCount, size: listOf(isNumber, 2), box: isBox});
const isSweep = has({title: isText, heading: isText, turn: isCount, length: isCount, lines: listOf(isCount), names: listOf(isText), ran: listOf(isCount), pages: listOf(isPage), views: listOf(isView), homes: listOf(isCount), folds: listOf(isFold)});
const isPlan = has({boxes: listOf(listOf(isNumber, 4)), curves: listOf(listOf(isNumber)), frames: listOf(listOf(isNumber, 4)), bounds: listOf(isNumber, 4)});

/**
 * The data as a recording; whatever is accepted here can be shown.
 * @param {any} found
 * @returns {Recording}
 */
function checked(found) {
  must(found?.format === "gradviz page", "its format");
  if (found.version !== 1) throw new Damaged("it was written by a newer gradviz");
  has({name: isText, script: isText, output: isText, notes: listOf(isText), problem: isText, start: listOf(isCount, 2), dark: isFlag, plans: listOf(isPlan), sweeps: listOf(isSweep)})(found, "the recording");
  must(found.sweeps.length > 0, "the list of backward calls");
  for (const sweep of found.sweeps) {
    const count = sweep.pages.length;
    must(count > 0 && sweep.names.length === sweep.length && sweep.turn === count && sweep.length >= count, "the number of steps");
    must(sweep.ran.length === sweep.length && sweep.lines.length === sweep.length && sweep.views.length > 0, "the order of steps");
    must(sweep.ran.every((/** @type {number} */ node) => node < count), "the order of steps");
    must(sweep.folds.every(({parent, box}, index) => parent < index && box.group !== null), "a group");
    must(sweep.homes.every((home) => home < sweep.folds.length), "a group");
    must(!sweep.folds.length || sweep.homes.length === sweep.views[sweep.views.length - 1].boxes.length, "a group");
    for (const view of sweep.views) checkView(found, sweep, view);
  }
  return found;
}

/** @param {Recording} recording @param {Sweep} sweep @param {View} view */
function checkView(recording, sweep, view) {
  const plan = recording.plans[view.plan];
  const boxes = view.boxes.length;
  must(plan !== undefined && plan.boxes.length === boxes && plan.curves.length === view.edges.length, "a picture");
  must(view.framed.length === view.frames.length && view.groups.length === boxes, "a group");
  must(!sweep.folds.length || [...view.framed, ...view.groups].every((group) => group < sweep.folds.length), "a group");
  must(plan.frames.length === view.frames.length && view.at.length === sweep.length && view.said.length === sweep.length + 1, "a picture");
  must(view.at.every((box) => box < boxes), "a picture");
  must(view.edges.every(([source, consumer]) => source >= 0 && source < boxes && consumer >= 0 && consumer < boxes), "an edge");
  must(plan.curves.every((curve) => curve.length >= 8 && curve.length % 6 === 2), "an edge");
  must(view.boxes.every((box) => box.node < sweep.pages.length && (box.node >= 0 || box.group !== null)), "a box");
}

// ---- making elements ---------------------------------------------------------------------------------------------

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

/** Text with what cannot be seen in it, and would turn it about, as its number. @param {string} text */
const shown = (text) => text.replace(UNSEEN, (sign) => `⟨${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

/**
 * An element of HTML with its class and what is in it.
 * @param {string} tag @param {string} [name] @param {...(Node | string)} inside
 */
function made(tag, name = "", ...inside) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside.map((part) => (typeof part === "string" ? shown(part) : part)));
  return element;
}

/** @param {...(Node | string)} inside */
const plain = (...inside) => made("span", "", ...inside);

/** A name that breaks, where it must, behind a dot or an underscore. @param {string} name */
const nameParts = (name) => name.split(/(?<=[._])/).flatMap((piece, index) => (index ? [made("wbr"), piece] : [piece]));

/**
 * An element of SVG with its attributes.
 * @param {string} tag @param {Record<string, string | number>} [given] @param {string} [text]
 * @returns {SVGElement}
 */
function drawn(tag, given = {}, text = "") {
  /** @type {any} */
  const element = document.createElementNS(part("graph").namespaceURI, tag);
  for (const [name, value] of Object.entries(given)) element.setAttribute(name, String(value));
  if (text) element.textContent = shown(text);
  return element;
}

/** @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);
const ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
const STYLE = getComputedStyle(document.documentElement);
const SANS = STYLE.getPropertyValue("--sans");
const MONO = STYLE.getPropertyValue("--mono");

/** How wide a text is. @param {string} text @param {string} font */
function widthOf(text, font) {
  ruler.font = font;
  return ruler.measureText(shown(text)).width;
}

/** A text of the picture, drawn narrower where it has not the room. @param {string} name @param {number} x @param {number} middle @param {string} text @param {string} font @param {number} room */
function line(name, x, middle, text, font, room) {
  const element = drawn("text", {class: name, x, y: middle, dy: ".36em"}, text);
  if (widthOf(text, font) > room) {
    element.setAttribute("textLength", String(Math.max(room, 4)));
    element.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  return element;
}

// ---- the picture -------------------------------------------------------------------------------------------------

const KINDS = ["leaf", "constant", "op", "number", "group"];
const NUMBER = 3;
const GROUP = 4;
const STACK = 8;
const ARROW = 8;

/** How a box looks at a position. @param {Box} box @param {boolean} isCurrent @param {Sweep} sweep @param {number} position */
function boxState(box, isCurrent, sweep, position) {
  const [computed, reached, received] = box.times;
  if (position <= sweep.turn) return isCurrent ? "forward" : computed <= position ? "" : "pale coming";
  const isKnown = reached > 0 && (isCurrent || reached <= position) && received <= position;
  const known = isKnown ? " known" : "";
  if (isCurrent) return `backward${known}`;
  return reached === 0 && box.takes ? "pale known" : known;
}

/** How an edge looks at a position. @param {Edge} edge @param {number} current @param {Sweep} sweep @param {number} position */
function edgeState([source, consumer, begun, sent, , , gradient], current, sweep, position) {
  if (position <= sweep.turn) return begun > position ? "coming" : consumer === current ? "forward" : "";
  if (sent === 0 || sent > position) return "";
  if (!gradient) return "none";
  return source === current || consumer === current ? "backward" : "carried";
}

/** A rounded rectangle; a leaf is rounder on its left, as in the window. @param {number} w @param {number} h @param {boolean} isLeaf @param {number} [out] */
function outline(w, h, isLeaf, out = 0) {
  const r = 10 + out;
  const l = isLeaf ? 26 + out : r;
  const [a, b, c, d] = [-out, -out, w + out, h + out];
  return `M${a + l} ${b}H${c - r}A${r} ${r} 0 0 1 ${c} ${b + r}V${d - r}A${r} ${r} 0 0 1 ${c - r} ${d}H${a + l}A${l} ${l} 0 0 1 ${a} ${d - l}V${b + l}A${l} ${l} 0 0 1 ${a + l} ${b}Z`;
}

/** A box with its texts. @param {Box} box @param {number[]} place @param {number} index */
function drawnBox(box, [x, y, w, h], index) {
  const kind = KINDS[box.kind] ?? "op";
  const group = drawn("g", {class: `box ${kind}`, transform: `translate(${x - w / 2} ${y - h / 2})`, "data-box": index, role: "button", tabindex: -1});
  group.append(drawn("title", {}, box.name));
  const isLeaf = box.kind === 0;
  const front = box.kind === GROUP ? h - STACK : h;
  const body = outline(w, front, isLeaf);
  if (box.kind === GROUP) {
    for (const drop of [STACK, STACK / 2]) group.append(drawn("rect", {class: "sheet", x: drop, y: drop, width: w - 2 * drop, height: front, rx: 10}));
  }
  group.append(
    drawn("path", {class: "under", d: body, transform: "translate(0 2)"}),
    drawn("path", {class: "glow", d: outline(w, front, isLeaf, 4)}),
    drawn("path", {class: "body", d: body}),
    drawn("path", {class: "ring", d: outline(w, front, isLeaf, 6)}),
  );
  if (box.kind === NUMBER) {
    group.append(drawn("text", {class: "name", x: w / 2, y: h / 2, dy: ".36em"}, box.name));
    return group;
  }
  const left = 56;
  const room = w - left - 10;
  const badge = box.badge ? widthOf(box.badge, `11px ${MONO}`) + 10 : 0;
  const fit = room - (badge ? badge + 8 : 0);
  const name = Math.min(widthOf(box.name, `600 14px ${SANS}`), fit);
  const detail = drawn("g", {class: "detail"});
  detail.append(drawn("rect", {class: "tile", x: 10, y: 10, width: 36, height: 36, rx: 9}));
  const sign = drawn("text", {class: "sign", x: 28, y: 28, dy: ".36em"}, box.sign);
  sign.style.fontSize = `${Math.min(16, (32 / widthOf(box.sign, `600 16px ${SANS}`)) * 16)}px`;
  detail.append(line("name", left, 20, box.name, `600 14px ${SANS}`, fit));
  if (box.word && fit - name > 20) detail.append(line("word", left + name + 8, 20, box.word, `12px ${SANS}`, fit - name - 8));
  if (badge) detail.append(drawn("rect", {class: "rim", x: w - 10 - badge, y: 11, width: badge, height: 18, rx: 4}), drawn("text", {class: "badge", x: w - 15, y: 20, dy: ".36em"}, box.badge));
  detail.append(line("value", left, 41, box.value, `13px ${MONO}`, room));
  if (box.gradient) detail.append(line("gradient", left, 61, box.gradient, `13px ${MONO}`, room));
  else if (box.row) detail.append(line("gradient none", left, 61, "not reached", `12px ${SANS}`, room));
  const size = Math.min(24, ((w - 24) / Math.max(widthOf(box.name, `600 24px ${SANS}`), 1)) * 24);
  const big = drawn("text", {class: "big", x: w / 2, y: front / 2, dy: ".36em", "text-anchor": "middle"}, box.name);
  big.style.fontSize = `${size}px`;
  detail.append(sign);
  for (const text of detail.querySelectorAll("text")) text.before(" ");  // else whoever reads it takes two texts for one word
  group.append(detail, big);
  return group;
}

/** @typedef {{group: SVGElement, path: SVGPathElement, head: SVGElement, forward: [string, string], backward: [string, string], middle: (share: number) => {x: number, y: number}}} Strand */

/** An arrowhead with its tip at (x, y), coming from (fromX, fromY). @param {number} x @param {number} y @param {number} fromX @param {number} fromY @param {number} size */
function arrow(x, y, fromX, fromY, size) {
  const long = Math.hypot(x - fromX, y - fromY) || 1;
  const [dx, dy] = [(x - fromX) / long, (y - fromY) / long];
  const [bx, by] = [x - dx * size * 1.25, y - dy * size * 1.25];
  const half = size * 0.62;
  const points = [x, y, bx - dy * half, by + dx * half, bx + dy * half, by - dx * half].map((n) => n.toFixed(1));
  return {points: points.join(" "), end: [x - dx * size, y - dy * size]};
}

/** The path of a curve whose ends were moved. @param {number[]} curve */
const pathOf = (curve) => `M${curve[0].toFixed(1)} ${curve[1].toFixed(1)}C${curve.slice(2).map((n) => n.toFixed(1)).join(" ")}`;

/** An edge: a line and one arrowhead, which turns when the gradient goes back. @param {Edge} edge @param {number[]} curve @returns {Strand} */
function drawnEdge(edge, curve) {
  const group = drawn("g", {class: "edge"});
  group.style.setProperty("--wide", String(edge[5]));
  const path = /** @type {SVGPathElement} */ (drawn("path"));
  const head = drawn("polygon");
  group.append(path, head);
  const n = curve.length;
  const size = ARROW + edge[5];
  const tip = arrow(curve[n - 2], curve[n - 1], curve[n - 4], curve[n - 3], ARROW);
  const tail = arrow(curve[0], curve[1], curve[2], curve[3], size);
  const whole = pathOf(curve);
  path.setAttribute("d", whole);
  const length = path.getTotalLength();
  const points = Array.from({length: 41}, (_, place) => path.getPointAtLength((place / 40) * length));
  return {
    group,
    path,
    head,
    forward: [pathOf([...curve.slice(0, -2), ...tip.end]), tip.points],
    backward: [pathOf([...tail.end, ...curve.slice(2)]), tail.points],
    middle: (share) => {
      const place = Math.min(Math.floor(share * 40), 39);
      const [one, other, part] = [points[place], points[place + 1], share * 40 - place];
      return {x: one.x + (other.x - one.x) * part, y: one.y + (other.y - one.y) * part};
    },
  };
}

/** @typedef {[number, number, number, number]} Rect  Left, top, right, bottom. */

/** @param {Rect} one @param {Rect} other */
const meet = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];

const PILL = 24;
const CROWDED = 4;
const PILL_FONT = `600 12px ${MONO}`;

/** A label on an edge, its middle at the origin. @param {string} text @param {string} kind */
function drawnPill(text, kind) {
  const wide = widthOf(text, PILL_FONT) + 18;
  const group = drawn("g", {class: `pill ${kind}`});
  group.append(drawn("rect", {x: -wide / 2, y: -PILL / 2, width: wide, height: PILL, rx: kind === "value" || kind === "travels" ? PILL / 2 : 6}), drawn("text", {x: 0, y: 0, dy: ".36em"}, text));
  return {group, wide};
}

// ---- the state ---------------------------------------------------------------------------------------------------

const SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 30];
const BETWEEN_MS = 620;
const LEAST_FIT = 0.7;
const FAR = 0.5;

/** @type {Recording} */
let recording;
let packed = "";
/** @type {Sweep} */
let sweep;
/** @type {View} */
let view;
/** @type {Plan} */
let plan;
let position = 0;
let speed = 1;
/** @type {number | null} */
let selected = null;
let isPlaying = false;
let timer = 0;
let isFolded = true;
/** Groups that are folded; one around others hides them. @type {Set<number>} */
let folds = new Set();
/** @type {SVGElement[]} */
let boxes = [];
/** @type {Strand[]} */
let strands = [];
const camera = {scale: 1, x: 0, y: 0};
let isMoved = false;

/** The box that is current at a position, or -1. @param {number} at */
const boxAt = (at) => (at > 0 ? view.at[at - 1] : -1);

/** The box that should be seen: the current one, and at the start the one that runs first. */
const boxInSight = () => boxAt(Math.max(position, 1));

/** What holds in a section of a page at a position. @param {number} node @param {string} name @param {number} at */
function section(node, name, at) {
  let content = null;
  for (const [from, what] of sweep.pages[node][name] ?? []) {
    if (from > at) break;
    content = what;
  }
  return content;
}

// ---- showing a picture -------------------------------------------------------------------------------------------

/** Take the picture of the view chosen: all groups as they open, or unfolded. */
function takeView() {
  view = sweep.views[isFolded ? 0 : sweep.views.length - 1];
  plan = recording.plans[view.plan];
  folds = new Set(view.groups.filter((group) => group >= 0));
}

/** Draw the picture of the backward call. */
function showPicture() {
  const [frames, edges, titles, places] = ["frames", "edges", "titles", "boxes"].map(part);
  for (const each of [frames, edges, titles, places, part("labels")]) each.replaceChildren();
  plan.frames.forEach(([left, top, right, bottom], index) => {
    const surface = drawn("g", {class: "frame"});
    surface.append(drawn("rect", {x: left, y: top, width: Math.max(right - left, 1), height: Math.max(bottom - top, 1), rx: 14}));
    frames.append(surface);
    const title = drawn("g", {class: "frame"});
    title.append(line("", left + 14, top + 16, view.frames[index], `600 13px ${SANS}`, right - left - 24));
    if (sweep.folds.length) {
      title.classList.add("fold");
      title.append(drawn("title", {}, "Fold this group"));
      title.addEventListener("click", (event) => {
        event.stopPropagation();
        turnGroup(view.framed[index]);
      });
    }
    titles.append(title);
  });
  strands = view.edges.map((edge, index) => {
    const strand = drawnEdge(edge, plan.curves[index]);
    edges.append(strand.group);
    return strand;
  });
  boxes = view.boxes.map((box, index) => {
    const group = drawnBox(box, plan.boxes[index], index);
    places.append(group);
    return group;
  });
  part("legend").querySelector(".group").hidden = !view.boxes.some((box) => box.kind === GROUP);
  const groups = part("groups");
  groups.hidden = sweep.views.length < 2 && !sweep.folds.length;
  groups.textContent = folds.size ? "Unfold groups" : "Fold groups";
  reserveWords();
}

/** Reserve the room of the longest sentence of this backward call, so that no step moves the picture. */
function reserveWords() {
  const said = part("said");
  const [now, next] = said.children;
  const before = [now.textContent, next.textContent];
  [now, next].forEach((sentence, index) => {
    sentence.textContent = shown(view.said.reduce((longest, words) => (words[index].length > longest.length ? words[index] : longest), ""));
  });
  said.style.minHeight = "0";
  said.style.minHeight = `${said.offsetHeight}px`;
  [now.textContent, next.textContent] = before;
}

/** Go to a backward call. @param {number} index @param {number} [at] position there; by default where backward begins */
function showSweep(index, at) {
  sweep = recording.sweeps[index];
  selected = null;
  takeView();
  showPicture();
  part("call").value = String(index);
  showTime();
  fitGraph();
  go(at ?? sweep.turn);
}

// ---- folding one by one ------------------------------------------------------------------------------------------

const CLOSEST = 96;
const BEND = 24;

/** The group that stands as one box for a group, or -1. @param {number} group */
function outermost(group) {
  let found = -1;
  for (let at = group; at >= 0; at = sweep.folds[at].parent) if (folds.has(at)) found = at;
  return found;
}

/** Fold a group of the picture, or unfold it; it stays where it is on the screen. @param {number} group */
function turnGroup(group) {
  if (!sweep.folds.length || group < 0) return;
  const before = placeOfGroup(group);
  if (!folds.delete(group)) folds.add(group);
  selected = null;
  [view, plan] = folds.size ? squeezed() : [sweep.views[sweep.views.length - 1], recording.plans[sweep.views[sweep.views.length - 1].plan]];
  showPicture();
  const [x, y] = placeOfGroup(group);
  camera.x += (before[0] - x) * camera.scale;
  camera.y += (before[1] - y) * camera.scale;
  isMoved = true;
  moveCamera();
  go(position);
}

/** Fold or unfold the group of the selected box, or else of the current one. */
function turnGroupHere() {
  const box = selected ?? boxAt(position);
  if (box < 0 || !sweep.folds.length) return;
  turnGroup(view.groups[box] >= 0 ? view.groups[box] : sweep.homes[view.boxes[box].node] ?? -1);
}

/** The middle of a group in the picture, as a box or a frame. @param {number} group */
function placeOfGroup(group) {
  const box = view.groups.indexOf(group);
  if (box >= 0) return plan.boxes[box];
  const frame = view.framed.indexOf(group);
  if (frame < 0) return [0, 0];
  const [left, top, right, bottom] = plan.frames[frame];
  return [(left + right) / 2, (top + bottom) / 2];
}

/** The picture with some groups as one box each: that with all of them open, and the room that they had taken up again. @returns {[View, Plan]} */
function squeezed() {
  const whole = sweep.views[sweep.views.length - 1];
  const room = recording.plans[whole.plan];
  /** @type {View} */
  const found = {plan: whole.plan, at: [], stops: [], said: whole.said, boxes: [], edges: [], frames: [], framed: [], groups: []};
  /** @type {number[][]} */
  const places = [];
  /** @type {Map<number, number>} */
  const boxOfGroup = new Map();
  const boxOf = whole.boxes.map((box, index) => {
    const group = outermost(sweep.homes[index]);
    const [x, y, w, h] = room.boxes[index];
    const known = boxOfGroup.get(group);
    if (known !== undefined) {
      const [left, top, right, bottom] = places[known];
      places[known] = [Math.min(left, x - w / 2), Math.min(top, y - h / 2), Math.max(right, x + w / 2), Math.max(bottom, y + h / 2)];
      return known;
    }
    if (group >= 0) boxOfGroup.set(group, found.boxes.length);
    found.groups.push(group);
    places.push([x - w / 2, y - h / 2, x + w / 2, y + h / 2]);
    return found.boxes.push(group < 0 ? box : sweep.folds[group].box) - 1;
  });
  const boxesNow = places.map(([left, top, right, bottom], index) => {
    const [w, h] = found.groups[index] < 0 ? [right - left, bottom - top] : sweep.folds[found.groups[index]].size;
    return [(left + right) / 2, (top + bottom) / 2, w, h];
  });
  const framed = whole.framed.map((group, index) => [group, index]).filter(([group]) => outermost(group) < 0);
  found.framed = framed.map(([group]) => group);
  found.frames = framed.map(([, index]) => whole.frames[index]);
  const across = closer(boxesNow.map(([x, , w]) => [x - w / 2, x + w / 2]));
  const down = closer(boxesNow.map(([, y, , h]) => [y - h / 2, y + h / 2]));
  const boxes = boxesNow.map(([x, y, w, h]) => [across(x), down(y), w, h]);
  /** @type {number[][]} */
  const curves = [];
  /** @type {Map<string, number>} */
  const edgeOf = new Map();
  whole.edges.forEach((edge, index) => {
    const [source, consumer] = [boxOf[edge[0]], boxOf[edge[1]]];
    if (source === consumer) return;
    const isPlain = found.groups[source] < 0 && found.groups[consumer] < 0;
    const key = isPlain ? `${index}` : `${source} ${consumer} ${edge[4]}`;
    const known = edgeOf.get(key);
    if (known === undefined) {
      edgeOf.set(key, found.edges.push([source, consumer, edge[2], edge[3], edge[4], edge[5], edge[6]]) - 1);
      const near = room.curves[index].map((n, place) => (place % 2 ? down(n) : across(n)));
      curves.push(routed(near, found.groups[source] < 0 ? null : boxes[source], found.groups[consumer] < 0 ? null : boxes[consumer]));
      return;
    }
    const together = found.edges[known];
    together[2] = Math.min(together[2], edge[2]);
    together[3] = Math.max(together[3], edge[3]);
    together[5] = Math.max(together[5], edge[5]);
    if (edge[6]) together[6] = together[6] ? "several gradients" : edge[6];
  });
  found.at = whole.at.map((box) => (box < 0 ? -1 : boxOf[box]));
  const ends = found.at.map((box, index) => (box !== found.at[index + 1] || box < 0 || found.groups[box] < 0 ? index + 1 : 0));
  found.stops = [...new Set([0, sweep.turn, sweep.length, ...ends.filter(Boolean)])].sort((one, other) => one - other);
  const frames = framed.map(([, index]) => room.frames[index].map((side, place) => (place % 2 ? down(side) : across(side))));
  const sides = [...boxes.map(([x, y, w, h]) => [x - w / 2, y - h / 2, x + w / 2, y + h / 2]), ...frames];
  const bounds = [0, 1, 2, 3].map((side) => (side < 2 ? Math.min : Math.max)(...sides.map((each) => each[side])));
  return [found, {boxes, curves, frames, bounds}];
}

/** An edge on its way from the lower rim of a box to the upper rim of another; an end that is null stays. @param {number[]} curve @param {number[] | null} source @param {number[] | null} consumer */
function routed(curve, source, consumer) {
  /** @type {number[][]} */
  const points = [];
  for (let place = 0; place < curve.length; place += 2) points.push([curve[place], curve[place + 1]]);
  if (source) {
    const rim = source[1] + source[3] / 2;
    while (points.length > 4 && points[3][1] < rim + BEND) points.splice(0, 3);
    points.splice(0, 2, [source[0], rim], [source[0], rim + BEND]);
  }
  if (consumer) {
    const rim = consumer[1] - consumer[3] / 2;
    while (points.length > 4 && points[points.length - 4][1] > rim - BEND) points.splice(-3, 3);
    points.splice(-2, 2, [consumer[0], rim - BEND], [consumer[0], rim]);
  }
  return points.flat();
}

/** Moves places along one axis together where nothing stands between them. @param {number[][]} spans @returns {(place: number) => number} */
function closer(spans) {
  /** @type {number[][]} */
  const joined = [];
  for (const [low, high] of [...spans].sort((one, other) => one[0] - other[0])) {
    const last = joined[joined.length - 1];
    if (last && low <= last[1]) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return (place) => {
    let shift = 0;
    for (let index = 0; index + 1 < joined.length && place > joined[index][1]; index += 1) {
      const gap = joined[index + 1][0] - joined[index][1];
      const spare = Math.max(gap - CLOSEST, 0);
      shift += spare * Math.min((place - joined[index][1]) / gap, 1);
    }
    return place - shift;
  };
}

// ---- the moment --------------------------------------------------------------------------------------------------

/** Go to a position. @param {number} to @param {boolean} [isStep] whether what happens on the way is shown */
function go(to, isStep = false) {
  const from = position;
  position = Math.min(Math.max(to, 0), sweep.length);
  endTravel();
  const current = boxAt(position);
  view.boxes.forEach((box, index) => {
    const state = boxState(box, index === current, sweep, position);
    boxes[index].setAttribute("class", `box ${KINDS[box.kind] ?? "op"} ${state}${box.odd ? " odd" : ""}${index === selected ? " selected" : ""}`);
    boxes[index].setAttribute("aria-label", spokenBox(box, boxes[index]));
  });
  view.edges.forEach((edge, index) => {
    const state = edgeState(edge, current, sweep, position);
    const strand = strands[index];
    const isBack = state === "backward" || state === "carried";
    strand.group.setAttribute("class", `edge ${state}${edge[4] ? "" : " dashed"}`);
    const [path, head] = isBack ? strand.backward : strand.forward;
    strand.path.setAttribute("d", path);
    strand.head.setAttribute("points", head);
  });
  if (boxInSight() >= 0) bringIntoSight(boxInSight());
  document.body.classList.toggle("backwards", position > sweep.turn);
  const travels = isStep && position === from + 1 && current >= 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (travels) travel(current);
  else showLabels(current);
  const [now, next] = view.said[position];
  part("said").children[0].textContent = shown(now);
  part("said").children[1].textContent = shown(next);
  showKnob();
  showLine();
  showNode();
  part("first").disabled = part("back").disabled = position === 0;
  part("on").disabled = part("last").disabled = position === sweep.length;
}

/** One step forth or back; over a folded group all its steps at once. @param {number} by */
function step(by) {
  go(after(by), by > 0);
}

/** @param {number} by */
function after(by) {
  if (!view.stops.length) return position + by;
  return (by > 0 ? view.stops.find((stop) => stop > position) : view.stops.findLast((stop) => stop < position)) ?? (by > 0 ? sweep.length : 0);
}

/** @param {boolean} on */
function play(on) {
  clearTimeout(timer);
  if (on && position === sweep.length) go(0);
  isPlaying = on;
  part("play").classList.toggle("on", on);
  if (on) timer = setTimeout(tick, 1000 / speed / 2);
}

function tick() {
  step(1);
  if (position === sweep.length) play(false);
  else timer = setTimeout(tick, 1000 / speed);
}

/** Move by hand, which ends playing. @param {() => void} move */
function byHand(move) {
  play(false);
  move();
}

/** The name of a box: the texts that are seen in it, in their order, so that what is read aloud and what can be said to it are one. @param {Box} box @param {Element} drawing */
function spokenBox(box, drawing) {
  const [seen, known] = [!drawing.classList.contains("coming"), drawing.classList.contains("known")];
  const isSeen = (/** @type {Element} */ text) => (text.classList.contains("value") ? seen : text.classList.contains("gradient") ? known : true);
  const texts = [...drawing.querySelectorAll(".detail text")].filter(isSeen).map((text) => text.textContent ?? "");
  return (texts.filter(Boolean).join(", ") || shown(box.name));
}

// ---- labels and what travels -------------------------------------------------------------------------------------

/** What is said on edges at a position: the edge, the text, its kind. @param {number} current @returns {[number, string, string][]} */
function labelsAt(current) {
  if (position <= sweep.turn || current < 0) return [];
  /** @type {[number, string, string][]} */
  const found = [];
  view.edges.forEach(([source, consumer, , sent, takes, , gradient], index) => {
    if (!sent || sent > position) return;
    if (consumer === current) {
      if (gradient) found.push([index, `goes out ${gradient}`, "out"]);
      else if (takes) found.push([index, "none", "none"]);
    } else if (source === current && gradient) found.push([index, `comes in ${gradient}`, "in"]);
  });
  return found.slice(0, 14);
}

/** How much larger labels are drawn than boxes in a small picture, so that they can be read. */
const labelScale = () => Math.min(Math.max(1, 0.9 / camera.scale), 2.5);
let pillScale = 1;

/** @param {number} current */
function showLabels(current) {
  pillScale = labelScale();
  const layer = part("labels");
  layer.replaceChildren();
  /** @type {Rect[]} */
  const taken = plan.boxes.map(([x, y, w, h]) => [x - w / 2 - 2, y - h / 2 - 2, x + w / 2 + 2, y + h / 2 + 2]);
  plan.frames.forEach(([left, top], index) => taken.push([left + 14, top + 8, left + 14 + widthOf(view.frames[index], `600 13px ${SANS}`), top + 24]));
  const crossed = labelsAt(current).map(([edge]) => edge);
  for (const [edge, text, kind] of labelsAt(current)) {
    const spots = [text, text.replace(/^(goes out|comes in) /, "")].map((words) => {
      const {group, wide} = drawnPill(words, kind);
      return {group, ...spotFor(edge, wide * pillScale, PILL * pillScale, taken, crossed)};
    });
    // Where the words have no room the number has: its arrow and its colour say which way it goes.
    const {group, ...spot} = spots[0].cost < CROWDED || spots[0].cost <= spots[1].cost ? spots[0] : spots[1];
    taken.push(spot.rect);
    put(group, spot.x, spot.y);
    layer.append(group);
  }
}

/** A place for a label: beside its edge, where it covers no box, no other label and no other edge that matters. @param {number} edge @param {number} wide @param {number} high @param {Rect[]} taken @param {number[]} crossed */
function spotFor(edge, wide, high, taken, crossed) {
  const [width] = stageSize();
  const others = (view.edges.length > 200 ? crossed : [...view.edges.keys()]).filter((other) => other !== edge).flatMap((other) => [0.1, 0.3, 0.5, 0.7, 0.9].map(strands[other].middle));
  let best = {x: 0, y: 0, cost: Infinity, rect: /** @type {Rect} */ ([0, 0, 0, 0])};
  for (const share of [0.5, 0.4, 0.6, 0.28, 0.72]) {
    const point = strands[edge].middle(share);
    for (const side of [1, -1, 0]) {
      const x = point.x + side * (wide / 2 + 9);
      /** @type {Rect} */
      const rect = [x - wide / 2, point.y - high / 2, x + wide / 2, point.y + high / 2];
      const hits = taken.filter((other) => meet(rect, other)).length;
      const crossings = others.filter((p) => meet(rect, [p.x - 3, p.y - 3, p.x + 3, p.y + 3])).length;
      const isCut = camera.x + rect[0] * camera.scale < 2 || camera.x + rect[2] * camera.scale > width - 2;
      const cost = (isCut ? 4 : 0) + hits * 10 + crossings * 3 + (side === 0 ? 2 : 0) + Math.abs(share - 0.5) * 2 + (side < 0 ? 0.1 : 0);
      if (cost < best.cost) best = {x, y: point.y, cost, rect};
    }
  }
  return best;
}

/** @param {Element} pill @param {number} x @param {number} y */
function put(pill, x, y) {
  pill.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${pillScale.toFixed(3)})`);
}

let frame = 0;

function endTravel() {
  cancelAnimationFrame(frame);
  frame = 0;
}

/** Show values come in, or gradients go out, on the way to the position. @param {number} current */
function travel(current) {
  const isForward = position <= sweep.turn;
  const riders = view.edges.flatMap((edge, index) => {
    if (edge[1] !== current || (isForward ? edge[2] > position : !edge[6] || edge[3] !== position)) return [];
    return [{index, text: isForward ? view.boxes[edge[0]].value : edge[6]}];
  });
  const layer = part("labels");
  pillScale = labelScale();
  layer.replaceChildren();
  if (!riders.length || riders.length > 24) return showLabels(current);
  const pills = riders.map(({index, text}) => {
    const {group} = drawnPill(text, isForward ? "value" : "travels");
    layer.append(group);
    return {group, strand: strands[index]};
  });
  const long = Math.min(BETWEEN_MS, 700 / speed);
  const start = performance.now();
  const draw = (/** @type {number} */ now) => {
    const share = Math.min((now - start) / long, 1);
    const eased = share * share * (3 - 2 * share);
    for (const {group, strand} of pills) {
      const point = strand.middle(isForward ? eased : 1 - eased);
      put(group, point.x, point.y);
    }
    if (share < 1) frame = requestAnimationFrame(draw);
    else showLabels(current);
  };
  draw(start);
  frame = requestAnimationFrame(draw);
}

// ---- the node ----------------------------------------------------------------------------------------------------

/** Numbers as people read them; small arrays element by element. @param {Numbers | string | null} given */
function numbers(given) {
  if (given === null || given === undefined) return made("span", "quiet", "?");
  if (typeof given === "string") return made("span", "quiet", given);
  if (given.cells === undefined) {
    const words = made("span", "words", given.text ?? "");
    if (given.figures) words.title = given.figures;
    return words;
  }
  const columns = given.shape.length === 2 ? given.shape[1] : 0;
  const cells = made("span", columns ? "cells" : "cells row");
  if (columns) cells.style.gridTemplateColumns = `repeat(${columns}, auto)`;
  cells.append(...given.cells.map((text) => made("span", /nan|inf/.test(text) ? "odd" : "", text)));
  cells.setAttribute("role", "img");
  cells.setAttribute("aria-label", nested(given.cells, given.shape));
  return cells;
}

/** The cells in brackets, as in a sentence. @param {string[]} cells @param {number[]} shape @returns {string} */
function nested(cells, shape) {
  if (!shape.length) return cells[0] ?? "";
  const size = cells.length / shape[0];
  const rows = Array.from({length: shape[0]}, (_, index) => nested(cells.slice(index * size, (index + 1) * size), shape.slice(1)));
  return `[${rows.join(", ")}]`;
}

/** A formula. @param {[string, number?, number?][]} pieces @param {boolean} isCount */
function formula(pieces, isCount) {
  const long = pieces.reduce((sum, [text]) => sum + text.length, 0);
  const row = made("p", `formula${isCount ? " count" : long > 26 ? " long" : ""}`);
  for (const [text, role = 0, raised = 0] of pieces) {
    const piece = made("span", ["", "v", "g"][role] ?? "", text);
    row.append(raised ? made(raised > 0 ? "sup" : "sub", "", piece) : piece);
  }
  return row;
}

/** A part of the page of a node, with a heading, in which names stand between backquotes, and what stands beside it. @param {string} title @param {string} beside @param {...(Node | string)} inside */
const card = (title, beside, ...inside) => made("section", "part", made("h2", "", plain(...title.split("`").map((words, index) => (index % 2 ? made("i", "", ...nameParts(words)) : words))), made("span", "quiet", beside)), ...inside);

/** @param {[Node, Node][]} rows */
function table(rows) {
  const list = made("dl", "rows");
  for (const [left, right] of rows) list.append(made("dt", "", left), made("dd", "", right));
  return list;
}

/** @param {string} letter @param {string} name */
const named = (letter, name) => plain(letter, letter === name ? "" : " = ", letter === name ? "" : made("b", "", name));

/** The node whose page is shown: the selected one, or the one that is current. */
function nodeShown() {
  if (selected !== null) return view.boxes[selected].node;
  return position > 0 ? sweep.ran[position - 1] : -1;
}

function showNode() {
  const pane = part("node");
  const group = selected === null ? null : view.boxes[selected].group;
  const node = nodeShown();
  if (group) pane.replaceChildren(...groupPage(group));
  else if (node < 0) pane.replaceChildren(made("header", "", made("h1", "", ...nameParts(recording.name))), made("p", "place", sweep.heading), made("p", "place", "Step or play to see what happens at each node. A click on a box keeps it here."));
  else pane.replaceChildren(...nodePage(node));
  focusScrolling();
}

/** A button that gives the pane back to the step. */
function release() {
  const button = made("button", "", "Follow the step");
  button.title = "Show the node of each step again (Esc)";
  button.addEventListener("click", () => select(null));
  return button;
}

/** @param {number} node @returns {Node[]} */
function nodePage(node) {
  const at = (/** @type {string} */ name) => section(node, name, position);
  const about = at("about");
  const isNow = position > 0 && sweep.ran[position - 1] === node;
  const pass = isNow ? (position > sweep.turn ? " backward" : " forward") : "";
  const place = [about.line ? `line ${about.line}` : "", about.kind, ...about.scope].filter(Boolean).join(" · ");
  const top = made("p", "place", place);
  if (selected !== null) top.append(release());
  const found = [made("header", "", made("h1", "", ...nameParts(about.title)), made("span", "quiet", about.title === about.op ? "" : about.op), made("span", `progress${pass}`, at("progress") ?? "")), top];
  if (about.remark) found.push(made("p", "place", about.remark));
  if (position > sweep.turn) found.push(...backwardParts(at));
  else found.push(...[rulePart(at("rule"))].filter((each) => each !== null));
  const value = at("value");
  found.push(card(at("rule") ? `Value \`${about.name}\`` : "Value", about.kind, numbers(value)));
  const saved = at("saved");
  if (saved?.rows) found.push(card("Saved for backward", saved.note, table(saved.rows.map((/** @type {any[]} */ [letter, name, what]) => [named(letter, name), saved.note === "freed" ? made("span", "quiet", "freed") : numbers(what)]))));
  if (about.params.length) found.push(card("Parameters", "", table(about.params.map((/** @type {string[]} */ [name, text]) => [plain(name), plain(text)]))));
  return found;
}

/** What comes in, the rule, and what goes out. @param {(name: string) => any} at @returns {HTMLElement[]} */
function backwardParts(at) {
  const found = [];
  const came = at("came");
  const terms = at("terms") ?? [];
  const about = at("about");
  if (came && came.note !== undefined) {
    const from = terms.length === 1 && came.count === 1 ? (terms[0][0] === "v" ? "v, given to backward" : `from ${terms[0][0]}`) : "";
    const part = card(`Comes in \`∂L/∂${at("rule") ? about.name : about.title}\``, from);
    part.classList.add("back", "came");
    const sum = came.total ?? came.so_far;
    if (sum) part.append(numbers(sum));
    if (came.note) part.append(made("p", "", came.note));
    if (came.count > 1) {
      const rows = terms.map((/** @type {any[]} */ [label, what, arrival]) => {
        const right = numbers(what);
        if (arrival > position) right.classList.add("waits");
        return [plain(`+ from ${label}`), right];
      });
      part.append(table(rows));
      if (came.count > terms.length) part.append(made("p", "", `and ${came.count - terms.length} more terms`));
    }
    found.push(part);
  }
  const rule = rulePart(at("rule"));
  if (rule) found.push(rule);
  const product = at("product");
  if (product) found.push(productPart(product));
  const sent = at("sent") ?? [];
  if (sent.length) {
    const part = card("Goes out", sent.length > 1 ? "one for every input" : "", table(sent.map((/** @type {any[]} */ [letter, name, what]) => [named(letter, name), numbers(what)])));
    part.classList.add("back", "sent");
    found.push(part);
  }
  const grad = at("grad");
  if (grad?.name) {
    /** @type {[Node, Node][]} */
    const rows = [];
    if (grad.before) rows.push([plain("before"), numbers(grad.before)]);
    if (grad.after) rows.push([plain("after"), numbers(grad.after)]);
    const part = card(`\`${grad.name}\``, grad.after ? "accumulated" : "");
    part.classList.add("back", "grad");
    if (rows.length) part.append(table(rows));
    part.append(made("p", "", grad.note));
    found.push(part);
  }
  return found;
}

/** @param {any} rule @returns {HTMLElement | null} */
function rulePart(rule) {
  if (!rule || rule.jacobian === undefined) return null;
  const part = card("Local rule", rule.equation);
  part.classList.add("rule");
  for (const [letters, counts] of rule.lines) {
    part.append(formula(letters, false));
    if (counts.length) part.append(formula(counts, true));
  }
  for (const text of [rule.jacobian, rule.note, rule.unknown]) if (text) part.append(made("p", "", text));
  return part;
}

/** The product v·J: v beside the rows of the Jacobian, and what goes out below its columns. @param {any} product */
function productPart(product) {
  const part = card("Product `v·J`", "J is never built");
  part.classList.add("product");
  for (const factor of product.factors) {
    if (product.factors.length > 1 || factor.rows.length) part.append(made("p", "caption", `∂${product.name}/∂${factor.name}, ${factor.size}`));
    if (factor.rows.length && product.v.length === factor.rows.length) part.append(matrix(product.v, factor));
    part.append(made("p", "", made("b", "", factor.words), `: ${factor.cost}`));
  }
  if (product.more) part.append(made("p", "", `and ${product.more} more inputs in the same way`));
  if (product.note) part.append(made("p", "", product.note));
  return part;
}

/** One Jacobian with v on its left and v·J below; pointing at a column shows the sum that it makes. @param {string[]} v @param {any} factor */
function matrix(v, factor) {
  const grid = made("div", "matrix");
  grid.style.gridTemplateColumns = `auto repeat(${factor.sent.length}, auto)`;
  const sum = made("p", "sum");
  const tile = (/** @type {string} */ kind, /** @type {string} */ text, /** @type {number} */ column) => {
    const cell = made("span", `${kind}${text === "0" ? " zero" : ""}`, text);
    cell.dataset.column = String(column);
    return cell;
  };
  v.forEach((number, index) => grid.append(tile("v", number, -1), ...factor.rows[index].map((/** @type {string} */ text, /** @type {number} */ column) => tile("j", text, column))));
  grid.append(made("span", "words", "v·J"), ...factor.sent.map((/** @type {string} */ text, /** @type {number} */ column) => {
    const out = tile("out", text, column);
    out.tabIndex = 0;
    return out;
  }));
  const factorOf = (/** @type {string} */ text) => (text.startsWith("-") ? `(${text})` : text);
  const light = (/** @type {number} */ column) => {
    for (const cell of grid.children) cell.classList.toggle("lit", /** @type {HTMLElement} */ (cell).dataset.column === String(column));
    sum.textContent = shown(`${factor.sent[column]}${factor.signs[column]}${v.map((number, index) => `${factorOf(number)} · ${factorOf(factor.rows[index][column])}`).join(" + ")}`);
  };
  for (const kind of ["pointerover", "focusin", "click"]) grid.addEventListener(kind, (event) => {
    const column = Number(/** @type {HTMLElement} */ (event.target).dataset.column ?? -1);
    if (column >= 0) light(column);
  });
  light(0);
  const whole = made("div", "", grid, sum);
  return whole;
}

/** @param {any} group @returns {Node[]} */
function groupPage(group) {
  const box = view.boxes[/** @type {number} */ (selected)];
  const isDone = position > sweep.turn && box.times[1] > 0 && box.times[1] <= position;
  const flows = (/** @type {any[]} */ rows) => table(rows.map(([label, shape, what]) => [plain(made("b", "", label), ` ${shape}`), isDone || typeof what === "string" ? numbers(what) : made("span", "quiet", "to come")]));
  const top = made("p", "place", group.words);
  top.append(release());
  const out = card("Comes in", "∂L of what the group gives", flows(group.outputs));
  const back = card("Goes out", "∂L of what the group takes", flows(group.inputs));
  for (const each of [out, back]) each.classList.add("back");
  return [made("header", "", made("h1", "", ...nameParts(group.title))), top, out, back, card("Ops inside", "", made("p", "", group.ops))];
}

/** Keep a box in the pane, or none. @param {number | null} index */
function select(index) {
  selected = index;
  boxes.forEach((box, place) => box.classList.toggle("selected", place === index));
  document.body.dataset.tab = index === null ? document.body.dataset.tab : "node";
  showTabs();
  showNode();
  if (index !== null) bringIntoSight(index);
}

/** Select a box by a key, and have it read out. @param {number} index */
function reach(index) {
  select(index);
  boxes[index].focus({preventScroll: true});
}

/** Select the next box in a direction. @param {number} by */
function selectBeside(by) {
  const here = selected ?? Math.max(boxAt(position), 0);
  reach((here + by + boxes.length) % boxes.length);
}

/** Select an input of the selected box, or what uses it. @param {number} end @param {number} other */
function selectAlong(end, other) {
  const here = selected ?? boxAt(position);
  const edge = view.edges.find((each) => each[end] === here);
  if (edge) reach(Number(edge[other]));
}

// ---- script ------------------------------------------------------------------------------------------------------

const WORDS = /(#.*)|("""|'''|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\b(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield|None|True|False)\b|\b(\d[\w.]*)/g;
const INKS = ["comment", "string", "keyword", "number"];

/** A line of Python in its colours. @param {string} text */
function coloured(text) {
  const row = made("li");
  let end = 0;
  for (const match of text.matchAll(WORDS)) {
    const kind = match.slice(1).findIndex((group) => group !== undefined);
    row.append(shown(text.slice(end, match.index)), made("span", INKS[kind], match[0]));
    end = match.index + match[0].length;
  }
  row.append(shown(text.slice(end)) || " ");
  return row;
}

function showScript() {
  const source = part("source");
  source.replaceChildren(...(recording.script ? recording.script.replace(/\n$/, "").split("\n").map(coloured) : []));
  part("output").textContent = shown(recording.output) || "Nothing was printed.";
  source.hidden = source.previousElementSibling.hidden = !recording.script;
}

function showLine() {
  const source = part("source");
  const at = position > 0 ? sweep.lines[position - 1] : 0;
  source.classList.toggle("backward", position > sweep.turn);
  source.querySelector(".at")?.classList.remove("at");
  const row = at > 0 ? source.children[at - 1] : undefined;
  if (!row) return;
  row.classList.add("at");
  const pane = part("script");
  const [top, bottom] = [row.offsetTop - 40, row.offsetTop + row.offsetHeight + 40];
  if (top < pane.scrollTop) pane.scrollTop = top;
  else if (bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = bottom - pane.clientHeight;
}

// ---- time --------------------------------------------------------------------------------------------------------

const GAP = 10;
const LEAST_SHARE = 0.25;

/** Left and width of both lanes, in pixels. */
function lanes() {
  const width = Math.max(part("time").clientWidth, 1);
  if (sweep.turn === sweep.length) return [[0, width], [width, 0]];
  const share = Math.min(Math.max(sweep.turn / sweep.length, LEAST_SHARE), 1 - LEAST_SHARE);
  const first = (width - GAP) * share;
  return [[0, first], [first + GAP, width - first - GAP]];
}

/** Where a position lies, in pixels. @param {number} at */
function placeOf(at) {
  const [[left, width], [start, long]] = lanes();
  if (at <= 0) return left;
  if (at <= sweep.turn) return left + (width * (at - 0.5)) / sweep.turn;
  return start + (long * (at - sweep.turn - 0.5)) / (sweep.length - sweep.turn);
}

/** The position nearest to a pixel. @param {number} x */
function positionAt(x) {
  const [[, width], [start, long]] = lanes();
  const steps = sweep.length - sweep.turn;
  if (steps && x >= start - GAP / 2) return sweep.turn + Math.min(steps, Math.max(1, Math.floor(((x - start) / long) * steps) + 1));
  if (x < (0.25 * width) / sweep.turn) return 0;
  return Math.min(sweep.turn, Math.max(1, Math.floor((x / width) * sweep.turn) + 1));
}

/** Lay out the lanes and the names below them. */
function showTime() {
  const both = lanes();
  document.querySelectorAll(".lane").forEach((lane, index) => {
    const {style} = /** @type {HTMLElement} */ (lane);
    [style.left, style.width] = both[index].map((side) => `${side}px`);
  });
  part("time").setAttribute("aria-valuemax", String(sweep.length));
  part("time").setAttribute("aria-valuemin", "0");
  const marks = [];
  for (const [first, last, room] of [[1, sweep.turn, both[0][1]], [sweep.turn + 1, sweep.length, both[1][1]]]) {
    const count = last - first + 1;
    let stride = Math.max(1, Math.ceil(count / Math.max(room / 24, 1)));
    const wide = (/** @type {number} */ by) => Math.max(0, ...Array.from({length: Math.ceil(count / by)}, (_, n) => widthOf(shortName(first + n * by), `11px ${MONO}`)));
    while (stride < count && wide(stride) + 12 > (room / count) * stride) stride += 1;
    for (let at = first; at <= last; at += stride) {
      marks.push(markAt(at));
    }
  }
  marks.push(made("span", "now"));
  part("marks").replaceChildren(...marks);
}

/** The name of a position, below its place. @param {number} at @param {HTMLElement} [mark] */
function markAt(at, mark = made("span")) {
  const half = widthOf(shortName(at), `700 11px ${MONO}`) / 2;
  const x = Math.min(Math.max(placeOf(at), half), Math.max(part("time").clientWidth - half, half));
  mark.textContent = shown(shortName(at));
  mark.dataset.from = String(x - half);
  mark.dataset.to = String(x + half);
  mark.style.left = `${x}px`;
  return mark;
}

/** @param {number} at */
function shortName(at) {
  const name = sweep.names[at - 1];
  return name.length > 14 ? `${name.slice(0, 13)}…` : name;
}

function showKnob() {
  const time = part("time");
  const [[left, width], [start, long]] = lanes();
  const x = placeOf(position);
  part("knob").style.left = `${x}px`;
  const [forward, backward] = document.querySelectorAll(".lane i");
  /** @type {HTMLElement} */ (forward).style.width = `${position >= sweep.turn ? width : Math.max(x - left, 0)}px`;
  /** @type {HTMLElement} */ (backward).style.width = `${position >= sweep.length ? long : Math.max(x - start, 0)}px`;
  const done = position - sweep.turn;
  const words = position === 0 ? "start" : done <= 0 ? `forward step ${position} of ${sweep.turn}: ${sweep.names[position - 1]}` : `backward step ${done} of ${sweep.length - sweep.turn}: ${sweep.names[position - 1]}`;
  time.setAttribute("aria-valuenow", String(position));
  time.setAttribute("aria-valuetext", shown(words));
  const marks = /** @type {HTMLElement[]} */ ([...part("marks").children]);
  const now = /** @type {HTMLElement} */ (marks.pop());
  now.hidden = position === 0;
  if (position) markAt(position, now);
  let end = -Infinity;
  for (const mark of marks) {
    const [from, to] = [Number(mark.dataset.from), Number(mark.dataset.to)];
    const isUnder = position > 0 && from < Number(now.dataset.to) + 6 && to > Number(now.dataset.from) - 6;
    mark.hidden = isUnder || from < end + 6;
    if (!mark.hidden) end = to;
  }
}

// ---- the camera --------------------------------------------------------------------------------------------------

const MARGIN = 34;

function moveCamera() {
  part("camera").setAttribute("transform", `translate(${camera.x.toFixed(2)} ${camera.y.toFixed(2)}) scale(${camera.scale.toFixed(4)})`);
  part("graph").classList.toggle("far", camera.scale < FAR);
  const graph = part("graph");
  graph.style.backgroundPosition = `${camera.x}px ${camera.y}px`;
  if (!frame && Math.abs(pillScale - labelScale()) > 0.04) showLabels(boxAt(position));
}

/** The room for the graph, in pixels. */
function stageSize() {
  const {width, height} = part("graph").getBoundingClientRect();
  return [Math.max(width, 50), Math.max(height, 50)];
}

/** Show the whole graph; where it would be too small to read, as much of it as can be read. @param {boolean} [isAll] */
function fitGraph(isAll = false) {
  const [left, top, right, bottom] = plan.bounds;
  const [width, height] = stageSize();
  const whole = Math.min((width - 2 * MARGIN) / Math.max(right - left, 1), (height - 2 * MARGIN) / Math.max(bottom - top, 1), 1.5);
  camera.scale = isAll ? Math.max(whole, 0.02) : Math.max(whole, LEAST_FIT);
  camera.x = width / 2 - ((left + right) / 2) * camera.scale;
  camera.y = height / 2 - ((top + bottom) / 2) * camera.scale;
  isMoved = false;
  moveCamera();
  if (!isAll && boxInSight() >= 0) bringIntoSight(boxInSight());
}

/** Move the camera as little as needed to see a box. @param {number} index */
function bringIntoSight(index) {
  const [x, y, w, h] = plan.boxes[index];
  const [width, height] = stageSize();
  const {scale} = camera;
  const near = 20;
  const shift = (/** @type {number} */ low, /** @type {number} */ high, /** @type {number} */ size) => (high - low > size - 2 * near ? size / 2 - (low + high) / 2 : low < near ? near - low : high > size - near ? size - near - high : 0);
  // With what it sends its gradient to, where there is something above it.
  const top = Math.max(y - h / 2 - 100, plan.bounds[1]);
  const dx = shift(camera.x + (x - w / 2) * scale, camera.x + (x + w / 2) * scale, width);
  const dy = shift(camera.y + top * scale, camera.y + (y + h / 2) * scale, height);
  if (!dx && !dy) return;
  camera.x += dx;
  camera.y += dy;
  moveCamera();
}

/** @param {number} factor @param {number} [x] @param {number} [y] */
function zoom(factor, x, y) {
  const [width, height] = stageSize();
  const [cx, cy] = [x ?? width / 2, y ?? height / 2];
  const scale = Math.min(Math.max(camera.scale * factor, 0.02), 5);
  camera.x = cx - ((cx - camera.x) * scale) / camera.scale;
  camera.y = cy - ((cy - camera.y) * scale) / camera.scale;
  camera.scale = scale;
  isMoved = true;
  moveCamera();
}

function listenToGraph() {
  const graph = part("graph");
  /** @type {Map<number, PointerEvent>} */
  const fingers = new Map();
  let moved = 0;
  graph.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    fingers.set(event.pointerId, event);
    moved = fingers.size > 1 ? 99 : 0;
  });
  graph.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const box = graph.getBoundingClientRect();
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    if (fingers.size === 2) {
      const other = /** @type {PointerEvent} */ ([...fingers.values()].find((finger) => finger.pointerId !== event.pointerId));
      const was = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY);
      const is = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
      zoom(is / Math.max(was, 1), (event.clientX + other.clientX) / 2 - box.left, (event.clientY + other.clientY) / 2 - box.top);
      camera.x += dx / 2;
      camera.y += dy / 2;
    } else {
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved < 5) return;
      if (!graph.hasPointerCapture(event.pointerId)) graph.setPointerCapture(event.pointerId);
      graph.classList.add("dragged");
      camera.x += dx;
      camera.y += dy;
      isMoved = true;
    }
    fingers.set(event.pointerId, event);
    moveCamera();
  });
  const lift = (/** @type {PointerEvent} */ event) => {
    fingers.delete(event.pointerId);
    graph.classList.remove("dragged");
  };
  graph.addEventListener("pointerup", lift);
  graph.addEventListener("pointercancel", lift);
  graph.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (moved >= 5) return;
    const box = /** @type {Element} */ (event.target).closest("[data-box]");
    select(box ? Number(box.getAttribute("data-box")) : null);
  });
  graph.addEventListener("dblclick", (/** @type {MouseEvent} */ event) => {
    const box = /** @type {Element} */ (event.target).closest("[data-box]");
    const group = box ? view.groups[Number(box.getAttribute("data-box"))] : -1;
    if (group >= 0) turnGroup(group);
  });
  graph.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
    // Inside another page the wheel scrolls that page; with Ctrl, or two fingers spread, it zooms here too.
    if (window.top !== window.self && !event.ctrlKey) return;
    event.preventDefault();
    const box = graph.getBoundingClientRect();
    const lines = event.deltaMode === 1 ? 33 : 1;
    zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
}

// ---- links -------------------------------------------------------------------------------------------------------

/** What the fragment of the address asks for. @returns {{data: string, at: number[] | null}} */
function asked() {
  const given = new URLSearchParams(location.hash.slice(1));
  const at = /^(\d{1,6})\.(\d{1,7})$/.exec(given.get("at") ?? "");
  return {data: given.get("data") ?? "", at: at ? [Number(at[1]) - 1, Number(at[2])] : null};
}

/** Copy a link to this step: it carries the recording where that fits, so that any page of gradviz opens it. */
async function copyLink() {
  const at = `at=${recording.sweeps.indexOf(sweep) + 1}.${position}`;
  const carries = packed.length + at.length + 6 <= LINK_LIMIT || asked().data !== "";
  const link = `${location.href.split("#")[0]}#${at}${carries ? "&data=" + packed : ""}`;
  const what = carries ? "Link copied. It carries the recording and opens at this step." : "Link copied. It opens this page at this step.";
  const where = /^https?:/.test(location.protocol) ? "" : " This page is a file here: send the file, or put it on a web page and copy the link there.";
  try {
    await navigator.clipboard.writeText(link);
    tell(what + where);
  } catch {
    const dialog = part("copy");
    dialog.querySelector("textarea").value = link;
    dialog.showModal();
    dialog.querySelector("textarea").select();
  }
}

let toastTimer = 0;

/** @param {string} text */
function tell(text) {
  const toast = part("toast");
  toast.textContent = text;
  toast.classList.add("on");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => toast.classList.remove("on"), 5000);
}

// ---- keys and buttons --------------------------------------------------------------------------------------------

/** @param {number} by */
function changeCall(by) {
  const index = recording.sweeps.indexOf(sweep) + by;
  if (index >= 0 && index < recording.sweeps.length) byHand(() => showSweep(index));
}

function turnGroups() {
  if (part("groups").hidden) return;
  isFolded = !folds.size;
  selected = null;
  takeView();
  if (isFolded && sweep.views.length < 2) {
    folds = new Set(sweep.folds.keys());
    [view, plan] = squeezed();
  }
  showPicture();
  fitGraph();
  go(position);
}

/** @param {number} by */
function changeSpeed(by) {
  speed = SPEEDS[Math.min(Math.max(SPEEDS.indexOf(speed) + by, 0), SPEEDS.length - 1)];
  part("speed").value = String(speed);
}

function turnTheme() {
  document.documentElement.classList.toggle("dark");
}

function turnContrast() {
  document.documentElement.classList.toggle("strong");
}

/** @type {[string, string, string, () => void, string?][]} Keys, how they are written, what they do, doing it, and its button. */
const KEYS = [
  [" ", "Space", "Play or pause", () => play(!isPlaying), "play"],
  ["ArrowRight", "→", "Step forward", () => byHand(() => step(1)), "on"],
  ["ArrowLeft", "←", "Step back", () => byHand(() => step(-1)), "back"],
  ["Home", "Home", "Go to start", () => byHand(() => go(0)), "first"],
  ["t", "T", "Go to start of backward", () => byHand(() => go(sweep.turn))],
  ["End", "End", "Go to end", () => byHand(() => go(sweep.length)), "last"],
  ["PageDown", "Page Down", "Ten steps on", () => byHand(() => go(position + 10))],
  ["PageUp", "Page Up", "Ten steps back", () => byHand(() => go(position - 10))],
  ["]", "]", "Faster", () => changeSpeed(1)],
  ["[", "[", "Slower", () => changeSpeed(-1)],
  ["b", "B", "Next backward call", () => changeCall(1)],
  ["B", "Shift B", "Previous backward call", () => changeCall(-1)],
  ["ArrowUp", "↑", "Select an input", () => selectAlong(1, 0)],
  ["ArrowDown", "↓", "Select a consumer", () => selectAlong(0, 1)],
  ["n", "N", "Select the next node", () => selectBeside(1)],
  ["N", "Shift N", "Select the node before", () => selectBeside(-1)],
  ["Escape", "Esc", "Follow the step again", () => select(null)],
  ["f0", "F", "Show the whole graph", () => fitGraph(true), "fit"],
  ["+=", "+", "Zoom in", () => zoom(1.25), "larger"],
  ["-", "−", "Zoom out", () => zoom(0.8), "smaller"],
  ["e", "E", "Fold or unfold all groups", turnGroups, "groups"],
  ["Enter", "Enter", "Fold or unfold the group of the selected or current node", turnGroupHere],
  ["l", "L", "Copy a link to this step", () => { if (!part("link").hidden) void copyLink(); }, "link"],
  ["d", "D", "Light or dark", turnTheme, "theme"],
  ["c", "C", "High contrast, or not", turnContrast],
  ["?", "?", "Keys", () => part("keys").showModal(), "help"],
];

/** Keys that move what is focused and scrolls, in place of the graph. */
const SCROLLING = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]);

/** @param {Element} element */
const scrolls = (element) => /auto|scroll/.test(getComputedStyle(element).overflowY) && element.scrollHeight > element.clientHeight;

/** Let the keys reach what is too large for its place, as a table of numbers; whole parts of the page always take focus. */
function focusScrolling() {
  for (const element of document.querySelectorAll("#said, #node .cells, #node .matrix")) {
    if (scrolls(element) || element.scrollWidth > element.clientWidth) element.setAttribute("tabindex", "0");
    else element.removeAttribute("tabindex");
  }
}

function showTabs() {
  document.querySelectorAll("[data-tab][role=tab]").forEach((tab) => tab.setAttribute("aria-selected", String(/** @type {HTMLElement} */ (tab).dataset.tab === document.body.dataset.tab)));
}

function listen() {
  // Inside of a notebook the page has no address, so there is nothing to link to.
  part("link").hidden = location.protocol === "about:";
  for (const [, written, what, act, id] of KEYS) {
    if (id === "link" && part(id).hidden) continue;
    part("keys").querySelector("dl").append(made("dt", "", written), made("dd", "", what));
    if (!id) continue;
    part(id).title = `${what} (${written})`;
    part(id).addEventListener("click", act);
  }
  part("speed").append(...SPEEDS.map((each) => new Option(`${each}×`, String(each), each === 1, each === 1)));
  part("speed").addEventListener("change", () => (speed = Number(part("speed").value)));
  part("call").addEventListener("change", () => byHand(() => showSweep(Number(part("call").value))));
  document.querySelectorAll("[data-tab][role=tab]").forEach((tab) => tab.addEventListener("click", () => {
    document.body.dataset.tab = /** @type {HTMLElement} */ (tab).dataset.tab;
    showTabs();
    showLine();
    focusScrolling();
  }));
  const time = part("time");
  const scrub = (/** @type {PointerEvent} */ event) => byHand(() => go(positionAt(event.clientX - time.getBoundingClientRect().left)));
  time.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    time.setPointerCapture(event.pointerId);
    scrub(event);
  });
  time.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => event.buttons && scrub(event));
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("dialog, select, textarea")) return;
    if ((event.key === " " || event.key === "Enter") && target.closest("button")) return;
    if (SCROLLING.has(event.key) && target.tabIndex >= 0 && scrolls(target)) return;
    const found = KEYS.find(([keys]) => keys === event.key || (event.key.length === 1 && keys.length === 2 && keys.includes(event.key)));
    if (!found) return;
    event.preventDefault();
    found[3]();
  });
  listenToGraph();
  new ResizeObserver(() => {
    if (!sweep) return;
    reserveWords();
    focusScrolling();
    showTime();
    showKnob();
    if (!isMoved) fitGraph();
  }).observe(part("graph"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => document.documentElement.classList.toggle("dark", event.matches));
  matchMedia("(prefers-contrast: more)").addEventListener("change", (event) => document.documentElement.classList.toggle("strong", event.matches));
  addEventListener("hashchange", () => void open());
}

// ---- opening -----------------------------------------------------------------------------------------------------

let opened = 0;

/** Show the recording of the link, or else that of the page; what cannot be shown is one sentence. */
async function open() {
  play(false);
  const {data, at} = asked();
  const own = (part("recording").textContent ?? "").trim();
  try {
    recording = checked(await unpacked(data || own));
    packed = data || own;
    part("failure").hidden = true;
    part("app").hidden = false;
    document.title = `${shown(recording.name)} · gradviz`;
    part("name").textContent = shown(recording.name);
    const notes = [...recording.notes.map((text) => made("p", "", text)), ...(recording.problem ? [made("p", "error", recording.problem)] : [])];
    part("notes").replaceChildren(...notes);
    part("notes").hidden = !notes.length;
    part("call").replaceChildren(...recording.sweeps.map((each, index) => new Option(shown(each.title), String(index))));
    part("calls").hidden = recording.sweeps.length < 2;
    if (recording.dark) document.documentElement.classList.add("dark");
    showScript();
    const [which, where] = at ?? recording.start;
    showSweep(Math.min(Math.max(which, 0), recording.sweeps.length - 1), where);
  } catch (error) {
    const why = error instanceof Damaged ? error.message : "this browser cannot read it";
    part("app").hidden = true;
    part("failure").hidden = false;
    part("failure").classList.add("now");
    part("failure").textContent = data ? `The recording in this link cannot be shown: ${why}. Ask for the link again.` : `The recording in this page cannot be shown: ${why}. Ask for the file again.`;
  }
  opened += 1;
  document.documentElement.dataset.opened = String(opened);
}

document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.classList.toggle("strong", matchMedia("(prefers-contrast: more)").matches);
document.body.dataset.tab = "node";
listen();
showTabs();
await open();
