"use strict";
// Search in the pages, from a folder of files too: the index comes as scripts, since such a page may fetch nothing.
// On a day's page what does not fit is hidden; elsewhere the days are looked through one by one, newest first.
(() => {
  const MOST = 50;
  const form = document.querySelector("form.search");
  const input = form.querySelector("input");
  const said = form.querySelector("output");
  const list = document.getElementById("found");
  const main = document.querySelector("main");
  const words = form.dataset;
  const root = words.root;
  const loaded = new Map();
  let days = [];
  let turn = 0;

  const fold = (text) =>
    ` ${text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}+#.]+/gu, " ")}`;
  const isHan = (text) => /\p{Script=Han}/u.test(text);
  // "policies" and "models" find "policy" and "model": a word is found by its beginning.
  const beginning = (word) => (word.length > 4 ? word.replace(/ies$/, "").replace(/([^s])s$/, "$1") : word);
  const terms = (typed) =>
    [...typed.matchAll(/["“”]([^"“”]+)["“”]?|([^\s"“”]+)/g)]
      .map(([, phrase, word]) => fold(phrase ?? word).trim())
      .filter(Boolean)
      .map((term) => (isHan(term) ? term : ` ${beginning(term)}`));
  const fits = (text, wanted) => wanted.every((term) => text.includes(term));
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
    said.textContent = wanted.length ? put(words.part, count, papers().length) : "";
  };

  // --- the whole archive: day by day, until enough is found

  const line = (day, [place, title, chinese, byline, category]) => {
    const entry = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${root}days/${day}.html#${place}`;
    link.lang = "en";
    link.textContent = title;
    entry.append(link);
    if (chinese) {
      const translated = document.createElement("div");
      translated.lang = "zh-Hans";
      translated.textContent = chinese;
      entry.append(translated);
    }
    const facts = document.createElement("p");
    facts.className = "quiet";
    facts.textContent = [day, byline, category].filter(Boolean).join(" · ");
    entry.append(facts);
    return entry;
  };

  const search = async (wanted) => {
    const mine = ++turn;
    list.hidden = main.hidden = false;
    list.replaceChildren();
    said.textContent = "";
    if (!wanted.length) return;
    main.hidden = true;
    let count = 0;
    for (const day of days) {
      if (!loaded.has(day)) await load(`days/${day}.js`);
      if (mine !== turn) return;
      for (const [paper, text] of loaded.get(day) ?? []) {
        if (!fits(text, wanted)) continue;
        count += 1;
        if (count <= MOST) list.append(line(day, paper));
      }
      said.textContent = put(count > MOST ? words.first : words.found, count > MOST ? MOST : count);
      if (count > MOST) return;
    }
    if (!count) said.textContent = words.none;
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
  const read = () => {
    const asked = /^#q=(.*)/.exec(location.hash);
    if (asked) {
      input.value = decodeURIComponent(asked[1]);
      look();
    }
  };
  window.addEventListener("hashchange", read);

  form.hidden = false;
  load("days.js").then(() => {
    const after = document.querySelector("a.next");
    const next = after && days[days.indexOf(after.dataset.day) - 1];
    if (next) {
      after.href = `${root}days/${next}.html`;
      after.hidden = false;
    }
    read();
  });
})();
