// Appended to a page by the browser test: uses it as a reader would and writes down what it saw.
(async () => {
  const $ = (id) => document.getElementById(id);
  const seen = {errors: window.selftest_errors, width: innerWidth};
  const rows = () => [...$('cases').tBodies[0].rows];
  const cells = (key) => rows().map((row) => row.querySelector(`td[data-key=${key}]`));
  const values = (key) => cells(key).map((td) => (td.title === '' ? null : td.title));
  const title = (key) => document.querySelector(`#cases th[data-key=${key}]`);
  const data = JSON.parse($('data').textContent);

  seen.all = data.rows.length;

  // The table as it comes: whether it fits, and what stays in sight when it is scrolled.
  const box = $('cases').closest('.scroll');
  const keys = () => [...document.querySelectorAll('#cases thead th')].map((th) => th.dataset.key);
  seen.table_cut = box.scrollWidth - box.clientWidth;
  seen.first_columns = keys();
  const tick = (key) => document.querySelector(`#columns input[value=${key}]`).click();
  tick('noise');
  tick('setup_s');
  seen.other_columns = keys();
  $('usual-columns').click();
  seen.usual_columns = keys();
  $('all-columns').click();
  seen.all_columns = keys();
  box.scrollTop = 300;
  box.scrollLeft = 200;
  const at = (element) => element.getBoundingClientRect();
  seen.scrolled = [box.scrollTop, box.scrollLeft];
  seen.head_off = at(document.querySelector('#cases thead th')).top - at(box).top;
  seen.first_off = at($('cases').tBodies[0].rows[30].cells[0]).left - at(box).left;
  box.scrollTop = box.scrollLeft = 0;
  seen.head_hidden = getComputedStyle($('cases').tHead).display === 'none';
  seen.row_display = getComputedStyle($('cases').tBodies[0].rows[0]).display;
  const timed = document.querySelector('#cases td[data-key=median_s]');
  seen.card_title = getComputedStyle(timed, '::before').content === 'none' ? '' : timed.dataset.title;
  seen.filters_hidden = getComputedStyle(document.querySelector('#table .filters')).display === 'none';
  seen.cut_cells = [...document.querySelectorAll('#cases td')].filter((td) => td.scrollWidth > td.clientWidth + 1).length;

  seen.shown_first = rows().length;
  if (!$('more').hidden) $('more').click();
  seen.shown_all = rows().length;

  // Every number of the table, as it is written and as the record has it.
  seen.cells = rows().map((row) => Object.fromEntries([...row.cells].map((td) => [td.dataset.key, [td.textContent, td.title]])));

  title('median_s').firstChild.click();
  seen.ascending = values('median_s');
  seen.sort_mark = title('median_s').getAttribute('aria-sort');
  title('median_s').firstChild.click();
  seen.descending = values('median_s');
  title('kernel').firstChild.click();
  seen.by_kernel = values('kernel');

  const words = (text) => { $('words').value = text; $('words').dispatchEvent(new Event('input')); };
  words('SERIAL csr');
  seen.filtered = values('kernel');
  seen.count_text = $('shown').textContent;
  words('no such kernel');
  seen.none = rows().length;
  words('');
  $('by-op').value = 'T';
  $('by-op').dispatchEvent(new Event('change'));
  seen.only_t = values('op');
  $('by-op').value = '';
  $('by-op').dispatchEvent(new Event('change'));
  $('by-status').value = 'refused';
  $('by-status').dispatchEvent(new Event('change'));
  seen.refused_reasons = values('reason');
  $('by-status').value = '';
  $('by-status').dispatchEvent(new Event('change'));

  // The address of a case that is not among the first, with a filter in its way.
  const follow = (hash) => { location.hash = hash; dispatchEvent(new HashChangeEvent('hashchange')); };
  words('no such kernel');
  const far = data.ids[data.ids.length - 1];
  follow('#' + far);
  seen.named = [...document.querySelectorAll('#cases .named')].map((row) => row.id);
  seen.named_wanted = far;
  seen.named_in_sight = Math.abs(at($(far)).top + at($(far)).bottom - innerHeight) < innerHeight;
  seen.addresses = rows().filter((row) => row.querySelector('.address').getAttribute('href') === '#' + row.id).length;
  seen.ids_twice = [...document.querySelectorAll('[id]')].length - new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size;

  // The explorer, picked by its menus and by addresses.
  const pick = (id, value) => { $(id).value = value; $(id).dispatchEvent(new Event('change')); };
  const look = () => ({
    matrix: $('explore-matrix-part').querySelector('h3').textContent,
    product: $('explore-product').value,
    picture: $('explore-matrix-part').querySelector('img') !== null,
    lengths: [...$('explore-matrix-part').querySelectorAll('.lengths tbody tr')].map((tr) => [...tr.cells].map((c) => c.textContent)),
    kernels: [...$('explore-kernels-part').querySelectorAll('tbody tr')].map((tr) => ({
      name: tr.cells[0].firstChild.textContent, planned: tr.className === 'planned',
      measured: tr.querySelector('[data-title=measured]').textContent,
      predicted: (tr.querySelector('[data-title=predicted]') ?? {}).textContent ?? null,
      bar: tr.querySelector('.bar span') ? tr.querySelector('.bar span').getBoundingClientRect().width : 0,
      words: tr.querySelector('.why').textContent})),
    why: $('explore-kernels-part').querySelector('div.why').textContent,
    text: $('explorer').textContent,
    link: $('explore-link').hash,
  });
  const ids = data.explorer[0].matrices;
  pick('explore-matrix', ids.find((m) => m.name === 'grid').id);
  pick('explore-product', 'f64 N');
  seen.grid = look();
  $('explore-before').click();
  seen.before_grid = look();
  $('explore-next').click();
  seen.after_back = look().matrix;
  follow('#' + ids.find((m) => m.name === 'web').id + '/f32-T');
  seen.web = look();
  seen.explorer_cut = $('explorer').scrollWidth - $('explorer').clientWidth;
  const kernels = $('explore-kernels-part').querySelector('.scroll');
  seen.kernels_cut = kernels.scrollWidth - kernels.clientWidth;
  const gallery = document.querySelector('.gallery ul');
  seen.gallery_share = gallery ? at(gallery).width / at(document.querySelector('main')).width : 0;

  // The largest gap between a figure and the one beneath it, where they stand in one column.
  const boxes = [...document.querySelectorAll('.figures figure')].filter((f) => !f.hidden).map(at);
  seen.figure_gap = Math.max(0, ...boxes.map((box, i) => i > 0 && boxes[i - 1].left === box.left ? box.top - boxes[i - 1].bottom : 0));

  const figures = () => [...document.querySelectorAll('figure')].filter((f) => !f.hidden).map((f) => f.dataset.kind + ' ' + f.dataset.variant);
  seen.figures_first = figures();
  const last = [...document.querySelectorAll('.variants input')].pop();
  if (last) last.click();
  seen.variant = last ? last.value : '';
  seen.figures_last = figures();
  seen.empty_figures = [...document.querySelectorAll('figure svg')].filter((s) => !s.closest('figure').hidden && s.getBoundingClientRect().height < 50).length;

  const mark = [...document.querySelectorAll('svg [data-tip]')].find((m) => !m.closest('figure').hidden);
  mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 20, clientY: 20}));
  seen.tip = $('tip').textContent;
  seen.tip_hidden = $('tip').hidden;
  document.body.dispatchEvent(new PointerEvent('pointermove', {bubbles: true}));
  seen.tip_hidden_again = $('tip').hidden;

  // What a reader sees who has chosen nothing.
  $('usual-columns').click();
  seen.too_wide = document.scrollingElement.scrollWidth - innerWidth;
  const summary = document.querySelector('.summary');
  seen.summary_hidden = summary ? summary.parentElement.scrollWidth - summary.parentElement.clientWidth : -1;
  seen.paper = getComputedStyle(document.documentElement).backgroundColor;
  seen.loaded = performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith('data:'));

  // A file of the reader's. It needs no disk here, whose time the browser's clock does not wait for.
  const file = (name, text) => ({name, size: text.length, arrayBuffer: async () => new TextEncoder().encode(text).buffer});
  const pixels = () => {
    const canvas = $('own-part').querySelector('canvas');
    if (!canvas) return null;
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return {wide: canvas.width, high: canvas.height,
      ink: [...Array(data.length / 4).keys()].map((p) => data[4 * p + 3]), colour: [...data.slice(0, 3)]};
  };
  const after = async () => { await window.nonzero.taken; return {text: $('own-part').textContent, picture: pixels()}; };
  const choose = (...of) => {
    Object.defineProperty($('own-file'), 'files', {value: [file(...of)], configurable: true});
    $('own-file').dispatchEvent(new Event('change'));
    return after();
  };
  const drop = (...of) => {
    const event = new Event('drop', {bubbles: true, cancelable: true});
    event.dataTransfer = {files: [file(...of)]};
    $('own').dispatchEvent(event);
    seen.drop_opens = !event.defaultPrevented;
    return after();
  };
  const head = '%%MatrixMarket matrix coordinate ';
  const many = [];
  for (let i = 1; i <= 768; i++) many.push(`${i} ${i} 1 0`);
  for (let j = 2; j <= 101; j++) many.push(`1 ${j} 0 1`);
  seen.own = {
    general: await choose('small.mtx', head + 'real general\n% said by nobody\n\n2 3 3\n1 1 1.5\r\n2 3 -1e3\n 1\t2  0\n'),
    symmetric: await drop('lower.mtx', head + 'pattern symmetric\n3 3 3\n1 1\n2 1\n3 2'),
    dense: await choose('large.mtx', head + `complex general\n768 768 ${many.length}\n${many.join('\n')}\n`),
    integer: await choose('skew.mtx', '%%matrixmarket MATRIX Coordinate Integer Skew-Symmetric\n2 2 1\n2 1 7\n'),
    wrong: [],
  };
  for (const text of ['', 'rows,cols\n', '\u001f', head.replace('coordinate', 'array') + 'real general\n1 1\n1\n',
    head + 'quaternion general\n1 1 1\n1 1 1\n', head + 'real diagonal\n1 1 1\n1 1 1\n', head + 'real general\n',
    head + 'real general\n2 2\n', head + 'real general\n0 2 0\n', head + 'real symmetric\n2 3 0\n',
    head + 'real general\n2 2 1\n3 1 1\n', head + 'real general\n2 2 1\n1 0 1\n', head + 'real general\n2 2 1\n1 1\n',
    head + 'pattern general\n2 2 1\n1 1 1\n', head + 'pattern general\n2 2 1\n1.5 1\n', head + 'pattern general\n2 2 2\n1 1\n',
    head + 'pattern general\n2 2 1\n1 1\u000b\n', head + 'constructor general\n1 1 1\n1 1\n'])
    seen.own.wrong.push((await choose('wrong.mtx', text)).text);
  Object.defineProperty($('own-file'), 'files', {value: [{name: 'huge.mtx', size: 2 ** 29}], configurable: true});
  $('own-file').dispatchEvent(new Event('change'));
  seen.own.huge = await after();
  await choose('last.mtx', head + 'pattern general\n1 1 1\n1 1\n');
  seen.own.cut = $('own').scrollWidth - $('own').clientWidth;

  const pre = document.createElement('pre');
  pre.id = 'selftest';
  pre.textContent = JSON.stringify(seen);
  document.body.append(pre);
  if (parent !== window) parent.postMessage(pre.textContent, '*');
})();
