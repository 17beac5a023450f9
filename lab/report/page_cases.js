// The table of every case.
(() => {
  const {$, data, at, write, make} = window.nonzero;
  const textual = (column) => column.kind === 'text';
  // A column in which all rows have nothing, or one thread, only takes room.
  const dull = (i) => data.rows.every((row) => row[i] === null || row[i] === '' || row[i] === false) ||
      (['record', 'threads'].includes(data.columns[i].key) && data.rows.every((row) => row[i] === data.rows[0][i]));
  const present = data.columns.map((_, i) => i).filter((i) => !dull(i));
  const words = data.rows.map((row) => data.columns.map((column, i) => textual(column) ? row[i] : '').join(' ').toLowerCase());

  const first_rows = 100;
  const state = {key: null, down: false, all: false, columns: new Set(present.filter((i) => data.columns[i].first))};
  const filters = ['record', 'matrix', 'type', 'op', 'status'];
  const shown_columns = () => present.filter((i) => state.columns.has(i));

  const sort = (key, down) => {
    state.key = key;
    state.down = down;
    draw();
  };
  const draw_head = () => {
    const head = make('tr');
    for (const i of shown_columns()) {
      const column = data.columns[i];
      const th = make('th', {scope: 'col', 'data-key': column.key});
      if (column.about) th.title = column.about;
      if (!textual(column)) th.className = 'n';
      if (column.key === state.key) th.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      const button = make('button', {type: 'button'}, column.title);
      button.addEventListener('click', () => {
        sort(column.key, state.key === column.key ? !state.down : false);
        $('cases').querySelector(`th[data-key=${column.key}] button`).focus({preventScroll: true});
      });
      th.append(button);
      head.append(th);
    }
    $('cases').tHead.replaceChildren(head);
  };

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

  // Where a page is too narrow for titles to click on.
  $('sort-by').add(new Option('as recorded', ''));
  for (const i of present) {
    const {key, title} = data.columns[i];
    $('sort-by').add(new Option(title + ' ↑', key + ' up'));
    $('sort-by').add(new Option(title + ' ↓', key + ' down'));
  }
  $('sort-by').addEventListener('change', () => {
    const [key, order] = $('sort-by').value.split(' ');
    sort(key || null, order === 'down');
  });

  // ----- which columns
  const chooser = $('columns').querySelector('fieldset');
  const boxes = [];
  for (const i of present) {
    const box = make('input', {type: 'checkbox', value: data.columns[i].key});
    box.checked = state.columns.has(i);
    // A row without its matrix would be nothing.
    box.disabled = data.columns[i].key === 'matrix';
    box.addEventListener('change', () => {
      box.checked ? state.columns.add(i) : state.columns.delete(i);
      draw();
    });
    boxes.push([box, i]);
    chooser.append(make('label', data.columns[i].about ? {title: data.columns[i].about} : {}, box, ' ' + data.columns[i].title));
  }
  const choose = (wanted) => {
    for (const [box, i] of boxes) {
      box.checked = wanted(i);
      box.checked ? state.columns.add(i) : state.columns.delete(i);
    }
    draw();
  };
  for (const [name, text, wanted] of [['all-columns', 'all', () => true], ['usual-columns', 'the usual ones', (i) => data.columns[i].first]]) {
    const button = make('button', {type: 'button', id: name}, text);
    button.addEventListener('click', () => choose(wanted));
    chooser.append(button);
  }

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
    return rows;
  };

  const draw = () => {
    draw_head();
    const rows = chosen();
    const shown = state.all ? rows : rows.slice(0, first_rows);
    const body = make('tbody');
    const columns = shown_columns();
    for (const [row, number] of shown) {
      const tr = body.insertRow();
      tr.id = data.ids[number];
      for (const i of columns) {
        const td = tr.insertCell();
        const column = data.columns[i], value = row[i];
        td.dataset.key = column.key;
        td.dataset.title = column.title;
        if (!textual(column)) td.className = 'n';
        if (value === null || value === '') continue;
        td.textContent = write[column.kind](value);
        td.title = value;
        if (column.key === 'status' && value !== 'ok') td.className = 'bad';
        if (column.key === 'matrix')
          td.append(make('a', {class: 'address', href: '#' + data.ids[number], 'aria-label': 'address of this case'}));
      }
    }
    $('cases').tBodies[0].replaceWith(body);
    $('shown').textContent = rows.length === data.rows.length ? `${rows.length} cases` : `${rows.length} of ${data.rows.length} cases`;
    $('more').hidden = shown.length === rows.length;
    $('more').textContent = `Show all ${rows.length}`;
    mark();
  };

  // ----- the case that the address names
  const named = () => data.ids.indexOf(decodeURIComponent(location.hash.slice(1)));
  const mark = () => {
    const number = named();
    for (const row of $('cases').tBodies[0].rows) row.classList.toggle('named', row.id === data.ids[number]);
  };
  const go = () => {
    const number = named();
    if (number < 0) return;
    if (!document.getElementById(data.ids[number])) {
      $('words').value = '';
      for (const key of filters) $('by-' + key).value = '';
      state.all = state.all || chosen().findIndex(([, i]) => i === number) >= first_rows;
      draw();
    }
    mark();
    document.getElementById(data.ids[number]).scrollIntoView({block: 'center'});
  };
  addEventListener('hashchange', go);
  draw();
  go();
})();
