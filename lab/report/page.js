'use strict';
(() => {
  const $ = (id) => document.getElementById(id);

  // ----- what marks say when they are pointed at or touched
  const tip = $('tip');
  for (const title of document.querySelectorAll('svg title')) {
    title.parentNode.dataset.tip = title.textContent;
    title.remove();
  }
  const place = (x, y) => {
    const gap = 14;
    const wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(x + gap, innerWidth - wide - 4)) + 'px';
    tip.style.top = (y + gap + high > innerHeight ? y - gap - high : y + gap) + 'px';
  };
  document.addEventListener('pointermove', (event) => {
    const mark = event.target.closest('[data-tip]');
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    place(event.clientX, event.clientY);
  });
  document.addEventListener('pointerdown', (event) => {
    const mark = event.target.closest('[data-tip]');
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    place(event.clientX, event.clientY);
  });
  document.addEventListener('scroll', () => { tip.hidden = true; }, {passive: true});

  // ----- one product at a time
  for (const run of document.querySelectorAll('.run')) {
    const buttons = run.querySelectorAll('.variants input');
    if (buttons.length === 0) continue;
    const show = () => {
      const wanted = run.querySelector('.variants input:checked').value;
      for (const figure of run.querySelectorAll('figure'))
        figure.hidden = figure.dataset.variant !== '' && figure.dataset.variant !== wanted;
    };
    for (const button of buttons) button.addEventListener('change', show);
    show();
  }

  // ----- the table
  const data = JSON.parse($('data').textContent);
  const at = Object.fromEntries(data.columns.map((column, i) => [column.key, i]));
  const grouped = (v) => Math.round(v).toString().replace(/\B(?=(\d{3})+$)/g, ',');
  const write = {
    text: (v) => v,
    count: grouped,
    mark: (v) => (v ? '●' : ''),
    number: (v) => (v === 0 ? '0' : Math.abs(v) < 0.01 ? v.toExponential(1) : v.toPrecision(3).includes('e') ? grouped(v) : v.toPrecision(3)),
    seconds: (v) => v < 1e-6 ? (v * 1e9).toFixed(0) + ' ns' : v < 1e-3 ? (v * 1e6).toFixed(1) + ' µs'
        : v < 1 ? (v * 1e3).toFixed(2) + ' ms' : v.toFixed(2) + ' s',
    rate: (v) => (v / 1e9).toFixed(1),
    percent: (v) => (v * 100).toFixed(1) + ' %',
    ratio: (v) => v.toFixed(2),
    bytes: (v) => {
      const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
      let u = 0;
      while (v >= 1023.95 && u < 4) { v /= 1024; u++; }
      return v.toFixed(u ? 1 : 0) + ' ' + units[u];
    },
  };
  const textual = (column) => column.kind === 'text';
  // A column in which all rows have nothing, or one thread, only takes room.
  const dull = (i) => data.rows.every((row) => row[i] === null || row[i] === '' || row[i] === false) ||
      (['record', 'threads'].includes(data.columns[i].key) && data.rows.every((row) => row[i] === data.rows[0][i]));
  const visible = data.columns.map((_, i) => i).filter((i) => !dull(i));
  const words = data.rows.map((row) => data.columns.map((column, i) => textual(column) ? row[i] : '').join(' ').toLowerCase());

  const first_rows = 100;
  const state = {key: null, down: false, all: false};
  const filters = ['record', 'matrix', 'type', 'op', 'status'];

  const head = document.createElement('tr');
  for (const i of visible) {
    const column = data.columns[i];
    const th = document.createElement('th');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = column.title;
    if (column.about) th.title = column.about;
    if (!textual(column)) th.className = 'n';
    th.scope = 'col';
    th.dataset.key = column.key;
    button.addEventListener('click', () => {
      state.down = state.key === column.key ? !state.down : false;
      state.key = column.key;
      draw();
    });
    th.append(button);
    head.append(th);
  }
  $('cases').tHead.append(head);

  for (const key of filters) {
    const menu = $('by-' + key);
    const values = [...new Set(data.rows.map((row) => row[at[key]]))];
    menu.add(new Option('any ' + key, ''));
    for (const value of values) menu.add(new Option(value, value));
    menu.hidden = values.length < 2;
    menu.addEventListener('change', () => draw());
  }
  $('words').addEventListener('input', () => draw());
  $('more').addEventListener('click', () => { state.all = true; draw(); });

  const chosen = () => {
    const wanted = $('words').value.toLowerCase().split(/\s+/).filter((w) => w);
    const menus = filters.map((key) => [at[key], $('by-' + key).value]).filter(([, value]) => value);
    const rows = data.rows.map((row, i) => [row, i])
        .filter(([row, i]) => wanted.every((w) => words[i].includes(w)) && menus.every(([k, v]) => row[k] === v));
    if (state.key !== null) {
      const k = at[state.key], sign = state.down ? -1 : 1;
      const by_text = textual(data.columns[k]);
      // What has no value stands last in either order.
      rows.sort(([a, i], [b, j]) => {
        const none = (v) => v === null || v === '';
        if (none(a[k]) || none(b[k])) return none(a[k]) - none(b[k]) || i - j;
        const order = by_text ? a[k].localeCompare(b[k], 'en', {numeric: true}) : a[k] - b[k];
        return sign * order || i - j;
      });
    }
    return rows.map(([row]) => row);
  };

  const draw = () => {
    const rows = chosen();
    const shown = state.all ? rows : rows.slice(0, first_rows);
    const body = document.createElement('tbody');
    for (const row of shown) {
      const tr = body.insertRow();
      for (const i of visible) {
        const td = tr.insertCell();
        const column = data.columns[i], value = row[i];
        td.dataset.key = column.key;
        if (!textual(column)) td.className = 'n';
        if (value === null) continue;
        td.textContent = write[column.kind](value);
        td.title = value;
        if (column.key === 'status' && value !== 'ok') td.className = 'bad';
      }
    }
    $('cases').tBodies[0].replaceWith(body);
    for (const th of head.cells) {
      if (th.dataset.key === state.key) th.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      else th.removeAttribute('aria-sort');
    }
    $('shown').textContent = rows.length === data.rows.length ? `${rows.length} cases` : `${rows.length} of ${data.rows.length} cases`;
    $('more').hidden = shown.length === rows.length;
    $('more').textContent = `Show all ${rows.length}`;
  };
  draw();
})();
