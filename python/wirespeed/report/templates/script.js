"use strict";
// The report reads without this script; it adds copying, filtering, and opens what paper cannot.

for (const command of document.querySelectorAll(".command")) {
  const code = command.querySelector("code");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  command.append(button);
}

const filter = document.querySelector(".filter");
if (filter) {
  const rows = [...document.querySelectorAll(".findings tbody")];
  const text = document.getElementById("filter-text");
  const boxes = [...document.querySelectorAll(".filter-status")];
  const count = document.getElementById("filter-count");
  const apply = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let shown = 0;
    for (const row of rows) {
      const content = row.textContent.toLowerCase();
      row.hidden = !wanted.has(row.dataset.status) || !words.every((word) => content.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${rows.length} shown`;
  };
  filter.hidden = false;
  text.addEventListener("input", apply);
  for (const box of boxes) box.addEventListener("change", apply);
  apply();
}

const opened = [];
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details.why:not([open])")) {
    details.open = true;
    opened.push(details);
  }
});
addEventListener("afterprint", () => {
  for (const details of opened.splice(0)) details.open = false;
});
