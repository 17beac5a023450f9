// A picture of a Matrix Market file that the reader chooses or drops: read here, sent nowhere.
(() => {
  const {$, write, make} = window.nonzero;
  const most_bytes = 256 * 2 ** 20, most_pixels = 384;

  // ----- the file: bytes to counts of entries by pixel
  const fields = {pattern: 0, real: 1, double: 1, integer: 1, complex: 2};  // numbers of a value
  const symmetries = ['general', 'symmetric', 'skew-symmetric', 'hermitian'];
  const fail = (message) => { throw new Error(message); };

  // Pixels of the picture: one a row and a column of a small matrix, otherwise as many as fit.
  const shape = (rows, cols) => {
    const scale = Math.min(1, most_pixels / Math.max(rows, cols));
    return [Math.max(1, Math.round(rows * scale)), Math.max(1, Math.round(cols * scale))];
  };
  const read = (bytes) => {
    let at = 0, line = 0;
    const line_end = () => {
      const end = bytes.indexOf(10, at);
      return end < 0 ? bytes.length : end;
    };
    const next_line = () => {
      if (at >= bytes.length) return null;
      const end = line_end();
      const text = new TextDecoder().decode(bytes.subarray(at, Math.min(end, at + 1024))).trim();
      at = end + 1;
      line++;
      return text;
    };
    if (bytes[0] === 0x1f && bytes[1] === 0x8b || bytes[0] === 0x28 && bytes[1] === 0xb5)
      fail('the file is compressed: unpack it first');
    const banner = (next_line() ?? '').toLowerCase().split(/\s+/);
    if (banner[0] !== '%%matrixmarket' || banner[1] !== 'matrix')
      fail('no Matrix Market file: it begins with another line than "%%MatrixMarket matrix coordinate ..."');
    const [, , format, field, symmetry] = banner;
    if (format !== 'coordinate') fail(`of the format "${format ?? ''}": only coordinate files are drawn`);
    if (!Object.hasOwn(fields, field ?? '')) fail(`values of the field "${field ?? ''}": pattern, real, integer and complex are known`);
    if (!symmetries.includes(symmetry)) fail(`the symmetry "${symmetry ?? ''}": ${symmetries.join(', ')} are known`);
    let sizes = next_line();
    while (sizes !== null && (sizes === '' || sizes.startsWith('%'))) sizes = next_line();
    const parts = (sizes ?? '').split(/\s+/).map(Number);
    if (parts.length !== 3 || !parts.every((n) => Number.isSafeInteger(n) && n >= 0))
      fail(`line ${line}: rows, columns and entries are needed`);
    const [rows, cols, entries] = parts;
    if (rows === 0 || cols === 0) fail(`${rows} × ${cols}: there is nothing to draw`);
    if (symmetry !== 'general' && rows !== cols) fail(`${rows} × ${cols} is ${symmetry}, but not square`);

    const [high, wide] = shape(rows, cols);
    const counts = new Uint32Array(high * wide);
    const mark = (i, j) => { counts[Math.floor((i - 1) * high / rows) * wide + Math.floor((j - 1) * wide / cols)]++; };
    const wanted = 2 + fields[field], places = [0, 0];
    let seen = 0, nonzeros = 0;
    // Numbers are looked at byte by byte: a file may have many millions.
    while (at < bytes.length) {
      line++;
      let words = 0, first = true, comment = false;
      for (;;) {
        while (bytes[at] === 32 || bytes[at] === 9 || bytes[at] === 13) at++;
        if (at >= bytes.length || bytes[at] === 10) break;
        if (first && bytes[at] === 37) { comment = true; at = line_end(); break; }
        first = false;
        if (words < 2) {
          let number = 0, digits = 0;
          for (; bytes[at] >= 48 && bytes[at] <= 57; at++, digits++) number = 10 * number + bytes[at] - 48;
          if (digits === 0 || bytes[at] > 32) fail(`line ${line}: a row and a column are needed, whole numbers from 1 on`);
          places[words] = number;
        } else {
          do at++; while (bytes[at] > 32);  // one at least, whatever byte it is
        }
        words++;
      }
      at++;
      if (comment || words === 0) continue;
      if (words !== wanted) fail(`line ${line}: ${words} numbers, but an entry of ${field} values has ${wanted}`);
      const [i, j] = places;
      if (i < 1 || i > rows) fail(`line ${line}: row ${i} is not from 1 to ${rows}`);
      if (j < 1 || j > cols) fail(`line ${line}: column ${j} is not from 1 to ${cols}`);
      seen++;
      nonzeros++;
      mark(i, j);
      if (symmetry !== 'general' && i !== j) { nonzeros++; mark(j, i); }
    }
    if (seen !== entries) fail(`${write.count(entries)} entries are announced, and ${write.count(seen)} are there`);
    return {rows, cols, entries, nonzeros, field, symmetry, high, wide, counts};
  };

  // ----- the picture: fuller pixels have more of the text's colour, which is dark on light or light on dark
  let drawn = null;
  const draw = () => {
    if (!drawn) return;
    const {canvas, m} = drawn;
    const ink = getComputedStyle(document.documentElement).getPropertyValue('--text').trim();
    const [r, g, b] = [1, 3, 5].map((k) => parseInt(ink.slice(k, k + 2), 16));
    const fullest = m.counts.reduce((a, n) => Math.max(a, n), 1);
    const image = new ImageData(m.wide, m.high);
    m.counts.forEach((n, p) => {
      if (n > 0) image.data.set([r, g, b, fullest === 1 ? 255 : 90 + 165 * Math.log(n) / Math.log(fullest)], 4 * p);
    });
    canvas.getContext('2d').putImageData(image, 0, 0);
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  const show = (name, m) => {
    const canvas = make('canvas', {width: m.wide, height: m.high, role: 'img', 'aria-label': `where ${name} has nonzeros`});
    const list = make('dl');
    const add = (title, value) => list.append(make('dt', {}, title), make('dd', {}, value));
    add('size', `${write.count(m.rows)} × ${write.count(m.cols)}`);
    add('nonzeros', write.count(m.nonzeros) + (m.nonzeros === m.entries ? '' : `, ${write.count(m.entries)} of them in the file`));
    add('a row', (m.nonzeros / m.rows).toFixed(1) + ' in the mean');
    add('values', `${m.field}, ${m.symmetry}`);
    if (m.high < m.rows || m.wide < m.cols)
      add('a pixel', `${write.number(m.rows / m.high)} × ${write.number(m.cols / m.wide)} places, at most ${write.count(m.counts.reduce((a, n) => Math.max(a, n), 0))} nonzeros`);
    $('own-part').replaceChildren(make('h3', {}, name), canvas, list);
    drawn = {canvas, m};
    draw();
  };
  let latest = 0;  // of two files, the one that was given last is shown
  const take = async (file) => {
    const mine = ++latest;
    drawn = null;
    try {
      if (file.size > most_bytes)
        fail(`${write.bytes(file.size)}, and at most ${write.bytes(most_bytes)} are read here: "nonzero spy" draws it`);
      $('own-part').replaceChildren(make('p', {class: 'hint'}, `Reading ${file.name} …`));
      const bytes = new Uint8Array(await file.arrayBuffer());
      if (mine === latest) show(file.name, read(bytes));
    } catch (error) {
      if (mine !== latest) return;
      $('own-part').replaceChildren(make('p', {class: 'notice'}, `${file.name}: ${error.message}.`));
    }
  };

  // ----- how files come; who drops one beside the frame does not lose the page
  const come = (files) => { if (files.length > 0) window.nonzero.taken = take(files[0]); };
  $('own-file').addEventListener('change', () => come($('own-file').files));
  for (const [name, over] of [['dragenter', true], ['dragover', true], ['dragleave', false], ['drop', false]])
    $('explorer').addEventListener(name, (event) => {
      event.preventDefault();
      $('own').classList.toggle('over', over);
      if (name === 'drop') come(event.dataTransfer.files);
    });
})();
