"use strict";
// Search in the pages, from a folder of files too: the index comes as scripts, since such a page may fetch nothing.
// On a day's page what does not fit is hidden; elsewhere the days are looked through one by one, newest first.
(() => {
  const MOST = 50;
  const DAYS_AT_ONCE = 30;
  const form = document.querySelector("form.search");
  const input = form.querySelector("input");
  const said = form.querySelector("output");
  const list = document.getElementById("found");
  const main = document.querySelector("main");
  const more = document.getElementById("more");
  const table = document.querySelector(".table");
  const words = form.dataset;
  const root = words.root;
  const loaded = new Map();
  let days = [];
  let turn = 0;

  const fold = (text) =>
    ` ${text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}+#.]+/gu, " ")}`;
  const isHan = (text) => /\p{Script=Han}/u.test(text);
  // A word is found by its beginning, and one form of a noun by the other: "policy" and "policies".
  const forms = (word) => {
    if (/[^aeiou]ies$/.test(word)) return [word, word.replace(/ies$/, "y")];
    if (/[^aeiou]y$/.test(word)) return [word, word.replace(/y$/, "ies")];
    return /[^s]s$/.test(word) && word.length > 3 ? [word.slice(0, -1)] : [word];
  };
  const terms = (typed) =>
    [...typed.matchAll(/["“”]([^"“”]+)["“”]?|([^\s"“”]+)/g)]
      .map(([, phrase, word]) => fold(phrase ?? word).trim())
      .filter(Boolean)
      .map((term) => (isHan(term) ? [term] : forms(term).map((form) => ` ${form}`)));
  const fits = (text, wanted) => wanted.every((term) => term.some((form) => text.includes(form)));
  const put = (sentence, count, total) =>
    sentence.replace("{count}", count.toLocaleString()).replace("{total}", (total ?? count).toLocaleString());

  const load = (path) =>
    new Promise((resolve) => {
      const script = document.createElement("script");
      script.onload = script.onerror = resolve;
      script.src = root + path;
      document.head.append(script);
    });

  window.paperboy = {
    days: (names) => {
      days = names;
    },
    day: (name, papers) => {
      loaded.set(
        name,
        papers.map((paper) => [paper, fold(paper.slice(1).join(" "))]),
      );
    },
  };

  // --- one day: hide what does not fit

  let rows = null;
  const papers = () =>
    (rows ??= [...main.querySelectorAll("details")].map((paper) => [paper, fold(paper.textContent)]));

  const filter = (wanted) => {
    let count = 0;
    for (const [paper, text] of papers()) {
      paper.hidden = !fits(text, wanted);
      count += paper.hidden ? 0 : 1;
    }
    for (const section of main.querySelectorAll("section")) {
      section.hidden = wanted.length > 0 && !section.querySelector("details:not([hidden])");
    }
    if (table) table.hidden = wanted.length > 0;
    said.textContent = wanted.length ? put(words.part, count, papers().length) : "";
  };

  // --- the whole archive: day by day, until enough is found

  const made = (tag, text, lang, name) => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (lang) element.lang = lang;
    if (name) element.className = name;
    return element;
  };

  const line = (day, [place, title, chinese, tldr, lang, byline, facts]) => {
    const entry = document.createElement("li");
    const link = made("a", title, "en");
    link.href = `${root}days/${day}.html#${place}`;
    entry.append(link);
    if (chinese) entry.append(made("div", chinese, "zh-Hans"));
    if (tldr) entry.append(made("p", tldr, lang));
    entry.append(made("p", [day, byline, facts].filter(Boolean).join(" · "), "", "quiet"));
    return entry;
  };

  const search = async (wanted) => {
    list.replaceChildren();
    said.textContent = "";
    more.hidden = true;
    main.hidden = wanted.length > 0;
    if (wanted.length) await goOn(++turn, wanted, 0, 0);
  };

  // Looks through the days from the one at `first` on; so many were found before.
  const goOn = async (mine, wanted, first, found) => {
    let count = found;
    let next = first;
    while (next < days.length && next < first + DAYS_AT_ONCE && count < found + MOST) {
      const day = days[next];
      if (!loaded.has(day)) await load(`days/${day}.js`);
      if (mine !== turn) return;
      for (const [paper, text] of loaded.get(day) ?? []) {
        if (!fits(text, wanted)) continue;
        count += 1;
        list.append(line(day, paper));
      }
      next += 1;
      said.textContent = put(words.found, count);
    }
    const isAll = next >= days.length;
    if (!count && isAll) said.textContent = words.none;
    if (!isAll) said.textContent = `${put(words.found, count)} · ${words.since.replace("{day}", days[next - 1])}`;
    more.hidden = isAll;
    more.onclick = () => goOn(mine, wanted, next, count);
  };

  // --- what is typed, and what the address asks for

  const isDay = words.scope === "day";
  const look = () => (isDay ? filter : search)(terms(input.value));
  let waiting;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 120);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", input.value ? `#q=${encodeURIComponent(input.value)}` : location.pathname);
    look();
  });
  const place = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return location.hash.slice(1); // a lone %
    }
  };
  const read = () => {
    if (!place().startsWith("q=")) return;
    input.value = place().slice(2);
    look();
  };
  // A browser that is led to a paper unfolds it and scrolls to its inside; its title should be seen too.
  const show = () => {
    const paper = document.getElementById(place())?.closest("details");
    if (!paper) return;
    paper.open = true;
    paper.scrollIntoView();
  };
  window.addEventListener("hashchange", read);
  window.addEventListener("hashchange", show);
  show();

  form.hidden = false;
  load("days.js").then(read);
})();
