// The page's only script: theme, choice of runs in the forest plot, and the gallery.
// It asks nothing of any network, and puts foreign text on the page with textContent only.
"use strict";

(() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Make an element. A property that is undefined or false is left out; strings become text.
  const make = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value === undefined || value === null || value === false) continue;
      if (name === "on") {
        for (const [event, listener] of Object.entries(value)) {
          element.addEventListener(event, listener);
        }
      } else if (name in element && typeof value !== "string") {
        element[name] = value;
      } else {
        element.setAttribute(name, value === true ? "" : value);
      }
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  };
  const readJson = (element) => JSON.parse(element.textContent);

  document.documentElement.classList.add("has-script");
  startTheme();
  startRunChoice();
  startGallery();

  // ------------------------------------------------------------------ light and dark

  function startTheme() {
    const button = $("#theme");
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const root = document.documentElement;
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
    const label = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      label();
    });
    dark.addEventListener("change", label);
    label();
  }

  // ------------------------------------------------------------------ forest plot

  function startRunChoice() {
    for (const box of $$("input[data-shows]")) {
      const apply = () => {
        for (const row of $$(`#settings tr[data-row="${box.dataset.shows}"]`)) {
          row.hidden = !box.checked;
        }
      };
      box.addEventListener("change", apply);
      apply(); // a browser may remember a box unticked before a reload
    }
  }

  // ------------------------------------------------------------------ gallery

  function startGallery() {
    const holder = $("#gallery-data");
    if (!holder) return;
    const data = readJson(holder);
    const pageSize = 20;
    const words = {
      right: "right",
      wrong: "wrong",
      low: "in the lowest third",
      middle: "in the middle third",
      high: "in the highest third",
      none: "no answer",
      open: data.graded ? "described: see its score" : "open: for judges",
      undefined: "not scorable",
      pending: "not asked yet",
      absent: "not in this run",
    };
    const signs = { right: "✓", wrong: "✕", none: "–", open: "○", undefined: "?", pending: "…", absent: "·" };
    const text = (place) => (place === null || place === undefined ? null : data.texts[place]);

    const fresh = () => ({ outcome: "all", run: "any", task: "", strata: {}, jury: "", error: "",
      order: "", words: "" });
    const state = fresh();
    let found = data.items.map((_, index) => index);
    let at = 0; // place of the open item within `found`
    let shownRun = 0; // whose reply is open

    // Runs may have been shown one item in different ways: what this run saw of it.
    const seenBy = (item, run) => {
      const sight = item.others ? item.sight[run] : 0;
      return sight === 0 ? item : { ...item, ...item.others[sight - 1] };
    };
    // The run whose sight is open; one that was not asked lends itself the first that was.
    const seeing = (item) => {
      if (item.answers[shownRun] || !item.others) return shownRun;
      return Math.max(0, item.answers.findIndex(Boolean));
    };

    // -------------------------------------------------------------- pictures

    const blocks = new Map();
    const thumbnail = (place) => {
      const number = Math.floor(place / data.perBlock);
      if (!blocks.has(number)) blocks.set(number, readJson($(`#thumbnails-${number}`)));
      return blocks.get(number)[place % data.perBlock];
    };
    const picture = (place, alternative) => {
      const [bytes, width, height] = thumbnail(place);
      return make("img", {
        src: `data:image/webp;base64,${bytes}`,
        width: String(width),
        height: String(height),
        alt: alternative,
        decoding: "async",
      });
    };
    const noPicture = (media) =>
      make(
        "p",
        { class: "no-picture" },
        make("strong", {}, "No picture"),
        media.problem || "It was not rendered.",
      );

    // A stack opens on its middle slice; the strip and the slider move through it.
    const stackView = (media) => {
      const middle = Math.floor(media.at.length / 2);
      const large = make("div", { class: "frame" });
      const caption = make("output", { class: "slice-name" });
      const slider = make("input", {
        type: "range",
        min: "0",
        max: String(media.at.length - 1),
        value: String(middle),
        "aria-label": "Slice",
      });
      const strip = media.at.map((place, index) =>
        make(
          "button",
          { type: "button", class: "strip", "aria-label": `Slice ${index + 1}`,
            on: { click: () => show(index) } },
          picture(place, ""),
        ),
      );
      const show = (index) => {
        slider.value = String(index);
        large.replaceChildren(picture(media.at[index], `Slice ${index + 1}`));
        caption.textContent = `Slice ${index + 1} of ${media.at.length}`;
        strip.forEach((button, other) => button.setAttribute("aria-pressed", other === index));
      };
      slider.addEventListener("input", () => show(Number(slider.value)));
      show(middle);
      return make(
        "figure",
        { class: "stack" },
        large,
        make("figcaption", {}, caption, slider),
        make("div", { class: "strips" }, ...strip),
      );
    };
    const mediaView = (media) => {
      if (media.problem || media.at.length === 0) return noPicture(media);
      if (media.at.length > 1) return stackView(media);
      return make(
        "figure",
        { class: media.role === "mosaic" ? "mosaic" : "single" },
        make("div", { class: "frame" }, picture(media.at[0], "The picture asked about")),
      );
    };

    // -------------------------------------------------------------- filters

    const haystacks = new Map();
    const haystack = (index) => {
      if (!haystacks.has(index)) {
        const item = data.items[index];
        const parts = [item.id, item.problem, ...Object.values(item.groups)];
        if (item.open) parts.push(item.reference);
        for (const sight of [item, ...(item.others || [])]) {
          parts.push(text(sight.question));
          for (const option of sight.options) parts.push(text(option.text));
        }
        for (const answer of item.answers) {
          if (answer) {
            parts.push(text(answer.reply), text(answer.rule), text(answer.reason));
            for (const [fact, verdict, what] of answer.facts || []) {
              parts.push(`${fact} ${verdict} ${text(what)}`);
            }
          }
        }
        haystacks.set(index, parts.filter(Boolean).join("\n").toLowerCase());
      }
      return haystacks.get(index);
    };
    const outcomesOf = (item) =>
      (state.run === "any" ? item.answers : [item.answers[Number(state.run)]]).map((answer) =>
        answer ? answer.outcome : "absent",
      );
    // What judges say of a reply: the honest jury, else the published one.
    const juryOf = (answer) => (answer && answer.jury ? answer.jury.honest || answer.jury.published : null);
    const judgedOutcome = (answer) =>
      answer && answer.outcome === "open" ? juryOf(answer) || "open" : answer && answer.outcome;
    const marked = ["right", "wrong", "low", "middle", "high", "none"];
    const disagree = (item) => {
      if (item.open) {
        const all = item.answers.filter(Boolean).map(judgedOutcome);
        return new Set(all.filter((one) => marked.includes(one))).size > 1;
      }
      const read = item.answers
        .filter((answer) => answer && ["right", "wrong", "none"].includes(answer.outcome))
        .map((answer) => answer.letter);
      return new Set(read).size > 1;
    };
    const passes = {
      all: () => true,
      wrong: (item) => outcomesOf(item).includes("wrong"),
      none: (item) => outcomesOf(item).includes("none"),
      right: (item) => outcomesOf(item).includes("right"),
      low: (item) => outcomesOf(item).includes("low"),
      middle: (item) => outcomesOf(item).includes("middle"),
      high: (item) => outcomesOf(item).includes("high"),
      undefined: (item) => item.problem !== null || outcomesOf(item).includes("undefined"),
      pending: (item) => outcomesOf(item).includes("pending"),
      open: (item) => outcomesOf(item).includes("open"),
      disagree,
      readings: (item) =>
        (state.run === "any" ? item.answers : [item.answers[Number(state.run)]]).some(
          (answer) => answer && answer.published && answer.published.letter !== answer.letter,
        ),
    };
    const isSplit = (answer) =>
      ["honest", "published"].some((profile) => {
        const said = (answer.votes || [])
          .filter(([judge, verdict]) => data.judges[judge][1] === profile && verdict !== null)
          .map(([, verdict]) => verdict);
        return new Set(said).size > 1;
      });
    const passesJury = (item) => {
      if (state.jury === "") return true;
      const chosen = state.run === "any" ? item.answers : [item.answers[Number(state.run)]];
      return chosen.filter(Boolean).some((answer) => {
        const jury = juryOf(answer);
        if (state.jury === "split") return isSplit(answer);
        if (state.jury === "rule") {
          return ["right", "wrong"].includes(answer.outcome) && ["right", "wrong"].includes(jury)
            && jury !== answer.outcome;
        }
        return jury === state.jury;
      });
    };
    const chosenAnswers = (item) =>
      (state.run === "any" ? item.answers : [item.answers[Number(state.run)]]).filter(Boolean);
    // "No error" is of descriptions that have a score: silence is no proof of care.
    const passesError = (item) => {
      if (state.error === "") return true;
      return chosenAnswers(item).some((answer) => {
        if (state.error === "none") return hasScore(answer) && !answer.made;
        return state.error === "any" ? Boolean(answer.made) : (answer.made || []).includes(state.error);
      });
    };
    const hasScore = (answer) => answer && typeof answer.score === "number";
    const scoresOf = (item) => chosenAnswers(item).filter(hasScore).map((answer) => answer.score);
    // Items without a score come last, whatever the order; equal ones stay as in the release.
    const orders = {
      up: (item) => Math.min(...scoresOf(item)),
      down: (item) => -Math.max(...scoresOf(item)),
      apart: (item) => {
        const all = item.answers.filter(hasScore).map((answer) => answer.score);
        return all.length > 1 ? Math.min(...all) - Math.max(...all) : Infinity;
      },
    };
    const inOrder = (places) => {
      if (!orders[state.order]) return places;
      const rank = new Map(places.map((index) => {
        const item = data.items[index];
        const value = scoresOf(item).length > 0 ? orders[state.order](item) : Infinity;
        return [index, value];
      }));
      return [...places].sort((a, b) =>
        rank.get(a) === rank.get(b) ? a - b : rank.get(a) - rank.get(b));
    };
    const several = new Set(data.filters.filter((one) => one.several).map((one) => one.key));
    const hasValue = (item, key, value) => {
      const held = item.strata[key];
      if (held === undefined) return false;
      return several.has(key) ? held.split(data.separator).includes(value) : held === value;
    };
    const passesRest = (item, index) =>
      (state.task === "" || item.task === state.task) &&
      (state.run === "any" || item.answers[Number(state.run)] !== null) &&
      Object.entries(state.strata).every(([key, value]) => !value || hasValue(item, key, value)) &&
      passesJury(item) &&
      passesError(item) &&
      state.words
        .toLowerCase()
        .split(/\s+/)
        .filter(Boolean)
        .every((word) => haystack(index).includes(word));

    const list = $("#worklist");
    const panel = $("#case");
    const filters = $("#gallery-filters");

    const search = () => {
      const rest = data.items.map((item, index) => index).filter((i) => passesRest(data.items[i], i));
      for (const button of $$("[data-outcome]", filters)) {
        const n = rest.filter((index) => passes[button.dataset.outcome](data.items[index])).length;
        $(".n", button).textContent = n.toLocaleString("en").replaceAll(",", "\u202f");
        button.setAttribute("aria-pressed", button.dataset.outcome === state.outcome);
      }
      found = inOrder(rest.filter((index) => passes[state.outcome](data.items[index])));
      $("#found").textContent =
        found.length === data.items.length
          ? `${found.length} items`
          : `${found.length} of ${data.items.length} items`;
    };
    const filterChanged = (fromTop) => {
      const open = found[at];
      search();
      at = fromTop ? 0 : Math.max(0, found.indexOf(open));
      draw();
    };

    $$("[data-outcome]", filters).forEach((button) =>
      button.addEventListener("click", () => {
        state.outcome = button.dataset.outcome;
        filterChanged();
      }),
    );
    $("#filter-run").addEventListener("change", (event) => {
      state.run = event.target.value;
      if (state.run !== "any") shownRun = Number(state.run);
      filterChanged();
    });
    $("#filter-task").addEventListener("change", (event) => {
      state.task = event.target.value;
      filterChanged();
    });
    $$("[data-stratum]", filters).forEach((select) =>
      select.addEventListener("change", () => {
        state.strata[select.dataset.stratum] = select.value;
        filterChanged();
      }),
    );
    for (const [selector, key] of [["#filter-error", "error"], ["#order", "order"]]) {
      if (!$(selector)) continue;
      $(selector).addEventListener("change", (event) => {
        state[key] = event.target.value;
        filterChanged(key === "order");
      });
    }
    if ($("#filter-jury")) {
      $("#filter-jury").addEventListener("change", (event) => {
        state.jury = event.target.value;
        filterChanged();
      });
    }
    let waiting = 0;
    $("#filter-words").addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        state.words = event.target.value;
        filterChanged();
      }, 120);
    });
    filters.addEventListener("reset", () => {
      Object.assign(state, fresh());
      filterChanged();
    });
    filters.addEventListener("submit", (event) => event.preventDefault());

    // -------------------------------------------------------------- worklist

    const nameOfError = (key) => data.errors.find((one) => one.key === key).label.toLowerCase();
    const errorsMade = (answer) => (answer.made || []).map(nameOfError);
    const perCent = (score) => (100 * score).toFixed(0);
    const scoreSign = (answer, title) =>
      make("span",
        { class: `sign scored ${answer.outcome}${answer.made ? " has-error" : ""}`, title },
        perCent(answer.score));
    const sign = (answer, run) => {
      const is = answer ? answer.outcome : "absent";
      if (hasScore(answer)) {
        return scoreSign(answer, [`${data.runs[run].label}: ${perCent(answer.score)} %`,
          ...errorsMade(answer)].join(", "));
      }
      const jury = is === "open" ? juryOf(answer) : null;
      const shown = jury === "right" || jury === "wrong" ? jury : is;
      return make(
        "span",
        { class: `sign ${shown}`,
          title: `${data.runs[run].label}: ${jury ? `jury: ${words[jury]}` : words[is]}` },
        signs[shown],
      );
    };
    const kindOf = (item) =>
      data.filters.filter((one) => !one.several && item.strata[one.key])
        .map((one) => one.labels[item.strata[one.key]] || item.strata[one.key]).join(" · ");
    // The second line names the task, so an id that spells it out is shown by its last part.
    const shortId = (item) =>
      (item.id.includes(`${item.task}/`) && item.id.split("/").pop()) || item.id;
    const row = (place) => {
      const item = data.items[found[place]];
      return make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: "row",
            "aria-current": place === at ? "true" : undefined,
            on: { click: () => open(place) },
          },
          item.open
            ? make("span", { class: "row-words", dir: "auto", title: item.id },
                // All descriptions are asked for in the same words: what was to be said tells more.
                (data.graded && item.reference) || text(seenBy(item, seeing(item)).question))
            : make("span", { class: "row-id", title: item.id }, shortId(item)),
          make("span", { class: "row-task" },
            item.open
              ? [kindOf(item), shortId(item)].filter(Boolean).join(" · ")
              : [item.task, seenBy(item, seeing(item)).condition].join(" · ")),
          make("span", { class: data.graded && data.graded.leads ? "row-signs wide-marks" : "row-signs" },
            ...item.answers.map(sign)),
        ),
      );
    };
    const drawList = () => {
      const page = Math.floor(at / pageSize);
      const pages = Math.max(1, Math.ceil(found.length / pageSize));
      const first = page * pageSize;
      const places = found.slice(first, first + pageSize).map((_, index) => first + index);
      list.replaceChildren(...places.map(row));
      $("#page").textContent = `Page ${page + 1} of ${pages}`;
      $("#page-back").disabled = page === 0;
      $("#page-on").disabled = page + 1 >= pages;
    };
    const turnPage = (by) => {
      const page = Math.floor(at / pageSize) + by;
      if (page < 0 || page * pageSize >= found.length) return;
      open(page * pageSize);
    };
    $("#page-back").addEventListener("click", () => turnPage(-1));
    $("#page-on").addEventListener("click", () => turnPage(1));

    // -------------------------------------------------------------- one case

    const chip = (run) => make("span", { class: `chip c${run % 8}` }, data.runs[run].label);

    const optionView = (item, option) => {
      const asked = JSON.stringify(item.options);
      const right = option.letter === item.reference;
      const choosers = item.answers
        .map((answer, run) => (answer && answer.letter === option.letter ? run : -1))
        // A run whose options came in another order chose something else by the same letter.
        .filter((run) => run >= 0 && JSON.stringify(seenBy(item.whole, run).options) === asked);
      return make(
        "li",
        { class: right ? "option is-right" : "option" },
        make("span", { class: "letter" }, option.letter),
        make(
          "div",
          { class: "option-body" },
          option.media &&
            (option.media.problem || option.media.at.length === 0
              ? noPicture(option.media)
              : make("div", { class: "frame" },
                  ...option.media.at.map((place) => picture(place, `Option ${option.letter}`)))),
          text(option.text) !== null &&
            make("span", { class: "option-text", dir: "auto" }, text(option.text)),
          make(
            "span",
            { class: "marks" },
            right ? make("strong", { class: "right-mark" }, "✓ reference") : null,
            ...choosers.map(chip),
          ),
        ),
      );
    };
    const seconds = (value) =>
      value === null || value === undefined ? null : `${value.toFixed(value < 10 ? 2 : 1)} s`;

    const answerRow = (answer, run) =>
      make(
        "tr",
        { class: run === shownRun ? "is-open" : undefined },
        make("th", { scope: "row" },
          make("button", {
            type: "button",
            class: "choose-run",
            "aria-pressed": String(run === shownRun),
            on: { click: () => { shownRun = run; draw(); } },
          }, chip(run))),
        make("td", { class: "read" }, answer && answer.letter !== null ? answer.letter : "–"),
        make("td", {},
          make("span", { class: `sign ${answer ? answer.outcome : "absent"}` },
            signs[answer ? answer.outcome : "absent"]),
          ` ${words[answer ? answer.outcome : "absent"]}`,
          answer && answer.outcome === "none" && answer.status ? ` (${answer.status})` : null),
        make("td", { class: "rule" }, (answer && text(answer.rule)) || ""),
        make("td", { class: "read" },
          answer && answer.published
            ? answer.published.letter === null ? "–" : answer.published.letter
            : ""),
      );

    const receiptTable = (answer) => {
      if (!answer || !answer.receipts || answer.receipts.length === 0) {
        return make("p", { class: "quiet" }, "No picture was sent with this request.");
      }
      const rows = answer.receipts.map((place) => {
        const [layout, width, height, bytes, type, window_, turned, boxes, hash, sources] =
          data.receipts[place];
        return make("tr", {},
          make("td", {}, layout),
          make("td", {}, type.startsWith("image/")
            ? `${width}×${height} ${type.replace("image/", "")}` : "array file (NumPy)"),
          make("td", { class: "number" }, `${(bytes / 1000).toFixed(1)} kB`),
          make("td", {}, window_),
          make("td", {}, type.startsWith("image/") ? turned : `axes ${turned}`),
          make("td", { class: "number" }, String(boxes)),
          make("td", {}, make("code", { title: hash }, hash.slice(0, 12))),
          make("td", {}, make("code", {}, sources.join(", "))));
      });
      const head = ["Picture", "Form", "Bytes", "Window", "Orientation", "Boxes drawn", "SHA-256",
        "Files"].map((name) => make("th", { scope: "col" }, name));
      return make("div", { class: "scroll" },
        make("table", { class: "receipts" },
          make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
    };

    const pictures = (answer) => {
      const n = (answer.receipts || []).length;
      const isArray = (place) => !data.receipts[place][4].startsWith("image/");
      if (n > 0 && answer.receipts.every(isArray)) return n === 1 ? "1 array" : `${n} arrays`;
      return n === 1 ? "1 picture" : `${n || "no"} pictures`;
    };
    const size = (bytes) =>
      bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(0)} kB`;
    // One sentence on what went out of a volume, as its receipts tell it.
    const sentOf = (answer, label) => {
      const places = (answer && answer.receipts) || [];
      if (!answer) return `${label} was not asked this question.`;
      if (places.length === 0) return `${label} was sent no picture.`;
      const [layout, width, height, , type, window_, turned] = data.receipts[places[0]];
      const bytes = places.reduce((sum, place) => sum + data.receipts[place][3], 0);
      if (!type.startsWith("image/")) {
        return `${label} was sent an ${layout}, ${window_}, axes ${turned} (${size(bytes)}).`;
      }
      const what = places.length === 1 ? `a picture (${layout})` : `${places.length} slices`;
      return `${label} was sent ${what} of ${width}×${height} pixels, ${window_} (${size(bytes)}).`;
    };
    const previewView = (item, media) =>
      make("figure", { class: "preview" },
        make("div", { class: "frame" }, picture(media.at[0], "Preview of the volume")),
        make("figcaption", {}, "Preview: even slices from feet to head, the patient’s right on the left. ",
          sentOf(item.answers[shownRun], data.runs[shownRun].label)));
    const mark = (is, name) =>
      make("span", {}, make("span", { class: `sign ${is}` }, signs[is]), name);
    const juryWords = { right: "right", wrong: "wrong", none: "no verdict" };
    const voteRow = ([judge, verdict, place]) => {
      const is = verdict === null ? "none" : verdict ? "right" : "wrong";
      const [name, profile] = data.judges[judge];
      return make("li", {},
        make("span", { class: `sign ${is}`, title: juryWords[is] }, signs[is]),
        make("span", { class: "judge" }, profile === "honest" ? name : `${name} (${profile})`),
        make("span", { class: "why", dir: "auto" }, text(place) || ""));
    };
    const ruleMark = (answer) => {
      if (answer.outcome === "open") return null;
      const read = answer.letter !== null && answer.letter !== undefined ? `read “${answer.letter}”` : null;
      if (hasScore(answer)) {
        return make("span", {}, scoreSign(answer, words[answer.outcome]),
          `${data.graded.label}: ${(100 * answer.score).toFixed(1)} %`,
          ...errorsMade(answer).map((name) => make("span", { class: "made" }, name)));
      }
      const came = text(answer.reply) !== null; // else the card itself says why there is none
      const facts = [words[answer.outcome], read, came ? text(answer.rule) : null]
        .filter(Boolean).join(" · ");
      return mark(answer.outcome, `rule: ${facts}`);
    };
    const givenView = (answer, run) => {
      const reply = answer ? text(answer.reply) : null;
      const juries = answer && answer.jury && reply && reply.trim() !== ""
        ? ["honest", "published"].filter((profile) => answer.jury[profile]).map((profile) =>
            mark(answer.jury[profile] === "none" ? "none" : answer.jury[profile],
              `${profile === "honest" ? "jury" : "published jury"}: ${juryWords[answer.jury[profile]]}`))
        : [];
      const body = !answer
        ? make("p", { class: "quiet" }, "Not asked in this run.")
        : reply === null || reply === undefined
          ? make("p", { class: "quiet" }, answer.outcome === "pending"
              ? "Not asked yet." : `No reply came. ${text(answer.reason) || ""}`)
          : reply.trim() === ""
            ? make("p", { class: "quiet" }, "The reply is empty.")
            : make("p", { class: "words", dir: "auto", tabindex: "0" }, reply);
      return make("div", { class: run === shownRun ? "given is-open" : "given" },
        make("div", { class: "given-head" },
          make("button", {
            type: "button",
            class: "choose-run",
            "aria-pressed": String(run === shownRun),
            on: { click: () => { shownRun = run; draw(); } },
          }, chip(run)),
          answer && make("div", { class: "verdicts" }, ruleMark(answer), ...juries)),
        body,
        answer && answer.facts && make("ul", { class: "facts-of", "aria-label": "Fact by fact" },
          ...answer.facts.map(([fact, verdict, what]) =>
            make("li", { class: verdict }, make("b", {}, `${fact} ${verdict}`), ` ${text(what)}`))),
        answer && answer.votes && make("ul", { class: "votes" }, ...answer.votes.map(voteRow)));
    };
    // An open question: its volume in small, the reference text, and what every run said.
    const openView = (item) => {
      const shown = item.media.filter((media) => media.at.length > 0);
      const lost = data.previews > 0
        ? item.media.filter((media) => media.problem).map((media) =>
            make("p", { class: "facts" }, `No preview: ${media.problem}. `,
              sentOf(item.answers[shownRun], data.runs[shownRun].label)))
        : [];
      return make("div", { class: shown.length > 0 ? "look has-preview" : "look is-wide" },
        shown.length > 0
          ? make("div", { class: "pictures" }, ...shown.map((media) =>
              media.role === "preview" ? previewView(item, media) : mediaView(media)))
          : null,
        make("div", { class: "said" },
          make("p", { class: "question", dir: "auto" }, text(item.question)),
          make("div", { class: "reference" },
            make("span", { class: "facts" }, "Reference"),
            make("p", { dir: "auto" }, item.reference === null ? "–" : item.reference)),
          ...item.answers.map(givenView),
          ...lost));
    };
    const replyView = (answer, isOpen) => {
      const label = data.runs[shownRun].label;
      if (!answer) return make("p", { class: "quiet" }, `${label} was not asked this item.`);
      const reply = text(answer.reply);
      const facts = [
        seconds(answer.seconds),
        answer.tokens && answer.tokens[1] !== null ? `${answer.tokens[1]} tokens out` : null,
        answer.finish ? `finish: ${answer.finish}` : null,
        answer.cut ? `${answer.cut} characters left out here` : null,
        answer.request ? `request ${answer.request.slice(0, 12)}` : null,
      ].filter(Boolean);
      const body =
        reply === null
          ? make("p", { class: "quiet" }, `No reply came. ${text(answer.reason) || ""}`)
          : reply === ""
            ? make("p", { class: "quiet" }, "The reply is empty.")
            : make("pre", { class: "reply", dir: "auto", tabindex: "0" }, reply);
      return make("section", { class: "reply-of" },
        make("h4", {}, isOpen ? "Request to " : "Raw reply of ", chip(shownRun)),
        isOpen ? "" : body,
        make("p", { class: "facts" }, facts.join(" · ")),
        make("details", {},
          make("summary", {}, `What was sent: ${pictures(answer)}`),
          receiptTable(answer)));
    };

    const sightNote = (item) => {
      const shown = seeing(item);
      const others = data.runs.map((_, run) => run).filter(
        (run) => item.answers[run] && item.sight[run] !== item.sight[shown]);
      return make("p", { class: "sight facts" }, "As shown to ", chip(shown),
        " and otherwise to ", ...others.flatMap((run) => [chip(run), " "]),
        "(choose a run below to see what it saw).");
    };

    const drawCase = () => {
      if (found.length === 0) {
        panel.replaceChildren(
          make("p", { class: "empty" }, "No item passes these filters. Reset them to see all."));
        return;
      }
      const whole = data.items[found[at]];
      const item = { ...seenBy(whole, seeing(whole)), whole };
      const withPictures = item.options.some((option) => option.media);
      const groups = Object.entries(item.groups).map(([key, value]) => `${key} ${value}`);
      panel.replaceChildren(
        make("header", { class: "case-head" },
          make("div", {},
            make("h3", {}, item.id),
            make("p", { class: "facts" },
              item.open
                ? [kindOf(item), ...data.filters.filter((one) => one.several)
                    .map((one) => item.strata[one.key]),
                    Object.values(item.strata).includes(item.condition) ? null : item.condition,
                    ...groups]
                    .filter(Boolean).join(" · ")
                : [`${item.task} · ${item.condition}`, ...groups].join(" · "))),
          make("div", { class: "steps" },
            make("button", { type: "button", id: "item-back", disabled: at === 0,
              "aria-label": "Previous item", on: { click: () => open(at - 1) } }, "‹"),
            make("span", { class: "facts" }, `${at + 1} / ${found.length}`),
            make("button", { type: "button", id: "item-on", disabled: at + 1 >= found.length,
              "aria-label": "Next item", on: { click: () => open(at + 1) } }, "›"))),
        item.problem
          ? make("p", { class: "problem" }, `The reference cannot be used: ${item.problem}`)
          : "",
        whole.others && !item.open ? sightNote(whole) : "",
        item.answers[shownRun] && item.answers[shownRun].changed
          ? make("p", { class: "problem" },
              `Not the pictures that ${data.runs[shownRun].label} was sent: the files, or how they `
              + "are rendered, have changed since. The receipts tell what was sent.")
          : "",
        ...(item.open ? [openView(item)] : [choiceView(item, withPictures), answersTable(item)]),
        replyView(item.answers[shownRun], item.open),
      );
    };
    const choiceView = (item, withPictures) =>
      make("div", { class: withPictures || item.media.length === 0 ? "look is-wide" : "look" },
        item.media.length > 0
          ? make("div", { class: "pictures" }, ...item.media.map(mediaView))
          : null,
        make("div", { class: "asked" },
          make("p", { class: "question", dir: "auto" }, text(item.question)),
          make("ol", { class: withPictures ? "options are-pictures" : "options" },
            ...item.options.map((option) => optionView(item, option)))));
    const answersTable = (item) =>
      make("div", { class: "scroll" },
        make("table", { class: "answers-of" },
          make("thead", {}, make("tr", {},
            ...["Run", "Read", "Outcome", "Rule that fired", "Published reading"].map((name) =>
              make("th", { scope: "col" }, name)))),
          make("tbody", {}, ...item.answers.map(answerRow))));

    $("#run-dots").append(
      ...data.runs.map((run, number) =>
        make("span", { title: run.label }, make("i", { class: `dot c${number % 8}` })),
      ),
    );

    // -------------------------------------------------------------- moving about

    const draw = () => {
      drawList();
      drawCase();
    };
    const open = (place) => {
      if (place < 0 || place >= found.length) return;
      at = place;
      draw();
      history.replaceState(null, "", `#item=${encodeURIComponent(data.items[found[at]].id)}`);
    };
    const openFromAddress = () => {
      const match = /^#item=(.+)$/.exec(window.location.hash);
      if (!match) return;
      let id = match[1];
      try {
        id = decodeURIComponent(id);
      } catch {
        return; // not one of our addresses
      }
      const place = found.findIndex((index) => data.items[index].id === id);
      if (place >= 0) {
        at = place;
        draw();
        $("#gallery").scrollIntoView();
      }
    };
    const inSight = () => {
      const box = $("#gallery").getBoundingClientRect();
      return box.top < window.innerHeight * 0.6 && box.bottom > 0;
    };
    const keys = {
      j: () => open(at + 1),
      k: () => open(at - 1),
      n: () => turnPage(1),
      p: () => turnPage(-1),
      r: () => {
        shownRun = (shownRun + 1) % data.runs.length;
        draw();
      },
      "/": () => $("#filter-words").focus(),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      if (event.target.closest("input, select, textarea") || !inSight()) return;
      event.preventDefault();
      keys[event.key]();
    });
    window.addEventListener("hashchange", openFromAddress);

    filters.reset(); // a browser may remember old choices; the reset event draws the first page
    search();
    draw();
    openFromAddress();
  }
})();
