// Eyes of the browser driver: one function, called with the words of the site (web-provider.json) and
// with what is asked. It reads, and it remembers the element that was found last; clicks and keys come
// from outside. The page's own scripts cannot reach it.
//
//   {do: "look"}                         what the page shows
//   {do: "find", what, label, turn}      the place of an element: {x, y, text, covered}, or null
//   {do: "menu"}                         lines of the open menu
//   {do: "chosen"}                       whether the element found last is marked as chosen
//   {do: "press"}, {do: "focus"}         a click by script on it, the focus for it
//   {do: "html", what}                   the document of "composer", "main" or the whole "page"
//   {do: "attributes"}                   text and attributes of what the open menu consists of
//   {do: "answer", most}                 candidates for the answer, at most so many characters each, and
//                                        what the page says round the composer
(site, ask) => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const isVisible = (element) => {
    const style = element && getComputedStyle(element);
    return Boolean(style && element.getClientRects().length && style.visibility !== "hidden" && style.display !== "none");
  };
  const visible = (selector, root) => all(selector, root).filter(isVisible);
  const textOf = (element) => (element ? (element.innerText || element.textContent || "").trim() : "");
  const labelOf = (element) => element.getAttribute("aria-label") || "";
  const bodyText = () => (document.body ? document.body.innerText : "");
  const has = (text, phrase) => text.includes(phrase);
  // What a button or a title says, as opposed to a prompt or an answer that quotes it.
  const shows = (phrase) => all("body *").some((e) =>
    !e.children.length && has(e.textContent, phrase) && e.textContent.trim().length < phrase.length + 20 && isVisible(e));
  const named = (names, root) =>
    visible("button, [role=button], a", root).find((e) => names.includes(textOf(e)) || names.includes(labelOf(e)));

  const composer = () => visible(site.composer)[0] || null;
  const input = () => visible(site.composer_input)[0] || null;
  const modelButton = () => {
    const box = composer();
    const isModel = (name) => site.known_labels.some((label) => name === label || name.startsWith(label + " "));
    return box ? visible("button", box).find((button) => isModel(labelOf(button)) || isModel(textOf(button))) || null : null;
  };
  const menuButtons = () => {
    const box = composer();
    const isOther = (name) => site.menu_button_not.includes(name) || has(name, site.menu_button_not_part);
    return box ? visible(site.menu_button, box).filter((button) => !isOther(labelOf(button) || textOf(button))) : [];
  };
  const menu = () => site.menu_containers.map((selector) => visible(selector)[0]).find(Boolean) || null;
  const menuLines = () => textOf(menu()).split("\n").map((line) => line.trim()).filter(Boolean);
  const firstLine = (element) => textOf(element).split("\n")[0].trim();
  const isGenerating = () => visible(site.stop_button).length > 0;
  const isThinking = () => textOf(document.querySelector("main")).split("\n").some((line) => line.trim() === site.thinking);
  const hasUpsell = () => {
    const text = bodyText().toLowerCase();
    return has(text, site.upsell_plan_phrase) && site.upsell_phrases.some((phrase) => has(text, phrase));
  };

  const option = (label) => {
    const box = menu();
    const inside = box ? visible("*", box).filter((e) => !e.children.length && textOf(e) === label) : [];
    if (inside.length) return { element: inside[0].closest(site.menu_items.join(",")) || inside[0], source: "menu_text" };
    const item = visible(site.menu_items.slice(0, 3).join(",")).find((e) => firstLine(e) === label);
    if (item) return { element: item, source: "role" };
    const other = box && visible("button, option", document).find((e) => firstLine(e) === label && !composer()?.contains(e));
    return other ? { element: other, source: "global" } : null;
  };

  const places = {
    cookie: () => named(site.cookie_buttons),
    model_button: modelButton,
    menu_button: () => {
      const buttons = menuButtons();
      return buttons.length ? buttons[ask.turn % buttons.length] : null;
    },
    new_thread: () => named(site.new_thread_buttons),
    submit: () => visible(site.submit_button)[0] || null,
    more: () => visible(site.more_button)[0] || null,
    file_input: () => all(site.file_input)[0] || null,
    attach: () => visible(site.attach_button)[0] || null,
    input,
    upsell_close: () => visible(site.close_button)[0] || null,
    option: () => option(ask.label),
  };

  const find = () => {
    const found = places[ask.what]();
    const element = found && found.element ? found.element : found;
    globalThis.assayFound = element || null;
    if (!element) return null;
    element.scrollIntoView({ block: "center", inline: "center" });
    const box = element.getBoundingClientRect();
    const x = box.left + box.width / 2, y = box.top + box.height / 2;
    const top = document.elementFromPoint(x, y);
    return { x, y, text: textOf(element) || labelOf(element), source: found.source || null,
             disabled: element.matches(":disabled"),
             covered: !(top && (element.contains(top) || top.contains(element))) };
  };

  const chosen = () => {
    const element = globalThis.assayFound;
    const marked = element && element.isConnected
      ? [element, ...all("*", element)].map((e) => [e, e.closest("[role]")]).flat().filter(Boolean) : [];
    for (const name of ["aria-selected", "aria-checked", "data-selected"])
      if (marked.some((e) => e.getAttribute(name) === "true")) return { indicator: name, value: "true" };
    const state = marked.map((e) => e.getAttribute("data-state")).find((v) => ["checked", "selected", "active"].includes(v));
    return state ? { indicator: "data-state", value: state } : null;
  };

  const look = () => {
    const text = bodyText(), button = modelButton(), written = input();
    return {
      url: location.href.slice(0, 300), title: document.title.slice(0, 200), length: text.length,
      composer: Boolean(written), written: textOf(written).length,
      signed_out: site.signed_out_markers.filter(shows),
      ready: site.ready_phrases.every((phrase) => has(text, phrase)),
      onboarding: site.onboarding_phrases.every((phrase) => has(text, phrase)),
      challenge: site.challenge_phrases.some(shows),
      more: visible(site.more_button).length > 0, upsell: hasUpsell(), generating: isGenerating(), menu: Boolean(menu()),
      model: button ? textOf(button) || labelOf(button) : null,
      buttons: composer() ? visible("button", composer()).map((b) => (labelOf(b) || textOf(b)).slice(0, 80)).slice(0, 20) : [],
    };
  };

  const answer = () => ({
    candidates: site.answers.map((selector) => {
      const texts = visible(selector).map(textOf);
      const longest = texts.reduce((best, text) => (text.length > best.length ? text : best), "");
      return { source: selector, count: texts.length, text: longest.slice(0, ask.most) };
    }),
    body: bodyText().replace(textOf(composer()), "").slice(-ask.most),
    busy: isGenerating() || isThinking(),
    upsell: hasUpsell(),
    signed_out: site.signed_out_markers.some(shows),
  });

  const html = () => ({ composer, main: () => document.querySelector("main"), page: () => document.documentElement })[ask.what]()
    ?.outerHTML ?? "";
  const attributes = () => (menu() ? visible("*", menu()) : []).slice(0, 500).map((element) => ({
    tag: element.tagName.toLowerCase(), text: firstLine(element).slice(0, 200),
    attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value.slice(0, 200)])) }));

  switch (ask.do) {
    case "html": return html();
    case "attributes": return attributes();
    case "look": return look();
    case "find": return find();
    case "menu": return menuLines().slice(0, 60);
    case "chosen": return chosen();
    case "press": globalThis.assayFound?.click(); return Boolean(globalThis.assayFound);
    case "focus": globalThis.assayFound?.focus(); return Boolean(globalThis.assayFound);
    case "answer": return answer();
    default: throw new Error("unknown question");
  }
}
