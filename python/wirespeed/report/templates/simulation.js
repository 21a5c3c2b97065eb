"use strict";
// The report reads without this script; it adds the slider and sorts tables.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const HEADINGS = { queue: "Queue", load: "Load", paused: "Paused" };

function digits(value) {
  if (value === 0) return "0";
  return value.toFixed(value >= 1000 ? 0 : value >= 100 ? 1 : 2);
}

for (const player of document.querySelectorAll(".player")) {
  const animation = JSON.parse(player.querySelector(".animation").textContent);
  const shapes = [...player.querySelectorAll("[data-port]")].map((shape) => ({
    shape, port: shape.dataset.port, base: shape.classList[0], shade: shape.classList[1], more: [...shape.classList].slice(2),
  }));
  const moment = player.querySelector(".moment");
  const legend = player.querySelector(".scale li");
  const now = player.querySelector(".now");
  const play = player.querySelector(".play");
  const body = player.querySelector(".most tbody");
  const heading = player.querySelector(".most .value");
  let timer = null;

  const level = (kind, port, at) => {
    const letters = animation[kind][port];
    return letters === undefined ? 0 : LETTERS.indexOf(letters[at]) / (LETTERS.length - 1);
  };
  const formatLevel = (kind, share) =>
    kind === "queue" ? `${digits(share * animation.most)} ${animation.mostUnit}` : `${(100 * share).toFixed(1)} %`;

  const show = () => {
    const at = Number(moment.value);
    const kind = player.querySelector(".kind:checked").value;
    for (const one of shapes) {
      const share = level(kind, one.port, at);
      const shade = `h${animation.from.filter((least) => share > least).length}`;
      if (shade !== one.shade) {
        one.shade = shade;
        one.shape.setAttribute("class", [one.base, shade, ...one.more].join(" "));
      }
    }
    now.textContent = `${animation.times[at]} ${animation.unit}`;
    heading.textContent = HEADINGS[kind];
    const meaning = player.querySelector(".kind:checked").closest("label").title;
    legend.textContent = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}:`;
    const most = Object.keys(animation[kind])
      .map((port) => [level(kind, port, at), Number(port)])
      .filter(([share]) => share > 0)
      .sort((a, b) => b[0] - a[0] || a[1] - b[1])
      .slice(0, animation.top);
    body.replaceChildren(...most.map(([share, port]) => {
      const row = document.createElement("tr");
      const name = document.createElement("th");
      const value = document.createElement("td");
      name.scope = "row";
      name.textContent = animation.names[port];
      value.className = "n";
      value.textContent = formatLevel(kind, share);
      row.append(name, value);
      return row;
    }));
  };

  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (moment.value === moment.max) moment.value = 0;
    play.textContent = "Stop";
    timer = setInterval(() => {
      moment.value = Number(moment.value) + 1;
      show();
      if (moment.value === moment.max) stop();
    }, 120);
  });
  moment.addEventListener("input", show);
  for (const kind of player.querySelectorAll(".kind")) kind.addEventListener("change", show);
  player.querySelector(".controls").hidden = false;
}

for (const table of document.querySelectorAll(".sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") !== "descending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.key;
      const compare = (a, b) => {
        const difference = Number(key(a)) - Number(key(b));
        const order = Number.isNaN(difference) ? key(a).localeCompare(key(b)) : difference;
        return falling ? -order : order;
      };
      body.replaceChildren(...[...body.rows].sort(compare));
    });
  });
}
