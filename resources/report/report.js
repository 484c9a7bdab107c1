"use strict";
// Pan, zoom and search in the graphs, and sorting of the tables, of a report that aotgui wrote.

const ZOOM_STEP = 1.25;

class Picture {
  constructor(holder) {
    this.svg = holder.querySelector("svg");
    this.svg.removeAttribute("width");
    this.svg.removeAttribute("height");
    const box = this.svg.viewBox.baseVal;
    this.whole = { x: box.x, y: box.y, width: box.width, height: box.height };
    this.svg.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.svg.addEventListener("pointerdown", (event) => this.onPress(event));
    this.svg.addEventListener("pointermove", (event) => this.onMove(event));
    this.svg.addEventListener("pointerup", () => this.svg.classList.remove("dragged"));
    this.svg.addEventListener("dblclick", () => this.fit());
  }

  get view() {
    return this.svg.viewBox.baseVal;
  }

  show(x, y, width, height) {
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  // The whole width from the top: a tall graph is read from there, and all of it at once would be too small to read.
  begin() {
    const { width, height } = this.svg.parentElement.getBoundingClientRect();
    const shown = Math.min(this.whole.height, this.whole.width * (width ? height / width : 1));
    this.show(this.whole.x, this.whole.y, this.whole.width, shown);
  }

  fit() {
    this.show(this.whole.x, this.whole.y, this.whole.width, this.whole.height);
  }

  point(clientX, clientY) {
    return new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  zoom(factor, at) {
    const view = this.view;
    const width = Math.min(Math.max(view.width / factor, 40), this.whole.width * 4);
    const share = width / view.width;
    const center = at || { x: view.x + view.width / 2, y: view.y + view.height / 2 };
    this.show(center.x - (center.x - view.x) * share, center.y - (center.y - view.y) * share, width, view.height * share);
  }

  onWheel(event) {
    event.preventDefault();
    this.zoom(Math.pow(ZOOM_STEP, -event.deltaY / 100), this.point(event.clientX, event.clientY));
  }

  onPress(event) {
    this.held = this.point(event.clientX, event.clientY);
    this.svg.classList.add("dragged");
    this.svg.setPointerCapture(event.pointerId);
  }

  onMove(event) {
    if (!this.svg.classList.contains("dragged")) return;
    const now = this.point(event.clientX, event.clientY);
    const view = this.view;
    this.show(view.x + this.held.x - now.x, view.y + this.held.y - now.y, view.width, view.height);
  }

  // Marks the nodes whose words hold the text; returns how many.
  search(text) {
    const wanted = text.trim().toLowerCase();
    let count = 0;
    this.svg.classList.toggle("searched", wanted !== "");
    for (const node of this.svg.querySelectorAll("[data-node]")) {
      const found = wanted !== "" && node.textContent.toLowerCase().includes(wanted);
      node.classList.toggle("found", found);
      count += found;
    }
    return count;
  }
}

function startViewer(viewer) {
  const tabs = [...viewer.querySelectorAll("[role=tab]")];
  const holders = [...viewer.querySelectorAll(".picture")];
  const pictures = holders.map((holder) => new Picture(holder));
  const field = viewer.querySelector("input");
  const said = viewer.querySelector("output");
  const begun = new Set();
  let shown = 0;

  function search() {
    const count = pictures[shown].search(field.value);
    said.textContent = field.value.trim() ? `${count} found` : "";
  }

  function choose(index) {
    shown = index;
    holders.forEach((holder, position) => { holder.hidden = position !== index; });
    tabs.forEach((tab, position) => tab.setAttribute("aria-selected", String(position === index)));
    if (!begun.has(index)) pictures[index].begin();
    begun.add(index);
    search();
  }

  tabs.forEach((tab, index) => tab.addEventListener("click", () => choose(index)));
  field.addEventListener("input", search);
  viewer.querySelector(".fit").addEventListener("click", () => pictures[shown].fit());
  viewer.querySelector(".in").addEventListener("click", () => pictures[shown].zoom(ZOOM_STEP));
  viewer.querySelector(".out").addEventListener("click", () => pictures[shown].zoom(1 / ZOOM_STEP));
  choose(0);
}

function startTable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;

  function sort(column) {
    const up = heads[column].getAttribute("aria-sort") === "descending";
    const numbers = heads[column].classList.contains("number");
    const rows = [...body.rows].sort((a, b) => {
      const [one, other] = [value(a, column), value(b, column)];
      return numbers ? Number(one) - Number(other) : one.localeCompare(other);
    });
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...(up ? rows : rows.reverse()));
  }

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sort(column)));
}

document.querySelectorAll(".viewer").forEach(startViewer);
document.querySelectorAll("table.sorted").forEach(startTable);
