// Finds sections by their words: all of what was typed must be there; titles count most.
(function () {
  const field = document.getElementById("search"), found = document.getElementById("found");
  const up = document.body.dataset.up;
  field.addEventListener("input", function () {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.textContent = "";
    if (!words.length) return;
    const hits = [];
    for (const s of SECTIONS) {
      const title = s.t.toLowerCase(), text = s.x.toLowerCase();
      let score = 0;
      for (const w of words) {
        if (title.includes(w)) score += 10;
        else if (text.includes(w)) score += 1;
        else { score = 0; break; }
      }
      if (score) hits.push([score, s]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    for (const [, s] of hits.slice(0, 20)) {
      const li = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
      a.href = up + s.u;
      a.textContent = s.t;
      const at = Math.max(0, s.x.toLowerCase().indexOf(words[0]) - 40);
      small.textContent = s.x.slice(at, at + 120);
      li.append(a, small);
      found.append(li);
    }
    if (!hits.length) found.textContent = "nothing";
  });
})();
