// One matrix at a time: what it looks like, what was predicted and measured, why the plan chose.
(() => {
  const {$, data, at, write, make} = window.nonzero;
  const absent = 'not in this record';
  const runs = data.explorer.filter((run) => run.matrices.length > 0);
  if (runs.length === 0) { $('explorer').hidden = true; return; }
  const get = (row, key) => row[at[key]];
  const state = {run: runs[0], matrix: runs[0].matrices[0], product: '', threads: ''};

  const rows_of = () => data.rows.map((row, i) => ({row, id: data.ids[i]}))
      .filter(({row}) => get(row, 'record') === state.run.record && get(row, 'matrix') === state.matrix.name);
  const product_of = (row) => get(row, 'type') + ' ' + get(row, 'op');
  const unique = (values) => [...new Set(values)];
  const is_peer = (kernel) => kernel.startsWith('peer/');
  const is_plan = (kernel) => kernel.startsWith('plan/');
  const timed = (row) => get(row, 'status') === 'ok' && get(row, 'median_s') !== null;

  // ----- what the matrix looks like
  const facts = () => {
    const m = state.matrix, l = m.lengths;
    const list = make('dl');
    const add = (name, value) => list.append(make('dt', {}, name), make('dd', {}, value));
    add('source', m.source || absent);
    add('size', `${write.count(m.rows)} × ${write.count(m.cols)}`);
    add('nonzeros', write.count(m.nnz));
    add('a row', m.rows > 0 ? (m.nnz / m.rows).toFixed(1) + ' in the mean' : absent);
    if (l) {
      add('shortest, longest', `${write.count(l.min)}, ${write.count(l.max)}`);
      add('deviation', write.number(l.deviation));
      add('empty rows', write.count(l.empty));
    }
    return list;
  };
  const spy = () => {
    const item = $(m_id());
    const image = item && item.querySelector('img');
    if (!image) return make('p', {class: 'hint'}, 'A picture is ' + absent + '.');
    const large = image.cloneNode();
    large.className = 'spy';
    return large;
  };
  const m_id = () => state.matrix.id;
  const lengths = () => {
    const l = state.matrix.lengths;
    const part = make('div', {class: 'lengths'}, make('h3', {}, 'Lengths of rows'));
    if (!l) {
      part.append(make('p', {class: 'hint'}, 'The lengths of rows are ' + absent + '; a record made now has them.'));
      return part;
    }
    const most = Math.max(...l.histogram);
    const table = make('table', {class: 'short'}, make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, 'entries'),
        make('th', {scope: 'col'}), make('th', {class: 'n', scope: 'col'}, 'rows'))));
    const body = make('tbody');
    const first = l.histogram.findIndex((n) => n > 0);
    for (let b = Math.max(first, 0); b < l.histogram.length; b++) {
      const low = b === 0 ? 0 : 2 ** (b - 1), high = b === 0 ? 0 : 2 ** b - 1;
      const n = l.histogram[b];
      body.append(make('tr', {}, make('th', {scope: 'row'}, low === high ? write.count(low) : `${write.count(low)}–${write.count(high)}`),
          make('td', {class: 'bar'}, make('span', {class: 'plain', style: `width:${100 * n / most}%`})),
          make('td', {class: 'n'}, write.count(n))));
    }
    table.append(body);
    part.append(table);
    if (l.made_again)
      part.append(make('p', {class: 'hint'}, 'Counted when this page was made, in the matrix made again from its source: the record has none.'));
    return part;
  };

  // ----- the kernels
  const forecast = () => state.matrix.forecasts.find((f) => f.type + ' ' + f.op === state.product &&
      (state.threads === '' || String(f.threads) === state.threads)) ?? null;
  // The fastest of each kernel; what has no time once, with its reason.
  const lines = () => {
    const best = new Map();
    for (const {row, id} of rows_of()) {
      if (product_of(row) !== state.product) continue;
      if (state.threads !== '' && String(get(row, 'threads')) !== state.threads && get(row, 'threads') !== 1) continue;
      const kernel = get(row, 'kernel');
      const old = best.get(kernel);
      if (!old || (timed(row) && (!timed(old.row) || get(row, 'median_s') < get(old.row, 'median_s')))) best.set(kernel, {row, id});
    }
    const all = [...best].map(([kernel, {row, id}]) => ({
      kernel, id, row,
      measured: timed(row) ? get(row, 'median_s') : null,
      predicted: get(row, 'predicted_s'),
      planned: get(row, 'planned'),
      note: timed(row) ? '' : get(row, 'status') + (get(row, 'reason') ? ': ' + get(row, 'reason') : ''),
    }));
    const f = forecast();
    for (const p of f ? f.predictions : []) {
      const known = all.find((line) => line.kernel === p.kernel);
      if (!known) all.push({kernel: p.kernel, id: null, row: null, measured: null, predicted: p.seconds, planned: false, note: 'not measured'});
      const line = known ?? all[all.length - 1];
      if (line.predicted === null) line.predicted = p.seconds;
      if (f.kernel === p.kernel) line.planned = true;
      line.why = p.why + (p.why_not && f.kernel !== p.kernel ? '; ' + p.why_not : '');
    }
    const rank = (line) => line.measured ?? (line.predicted !== null ? 1e9 + line.predicted : 1e12);
    return all.sort((a, b) => rank(a) - rank(b));
  };
  const table = (all) => {
    const times = all.flatMap((line) => [line.measured, line.predicted]).filter((t) => t > 0);
    const fastest = Math.min(...times), best = Math.min(...all.map((line) => line.measured ?? Infinity));
    const share = (t) => 100 * fastest / t;
    const forecasted = all.some((line) => line.predicted !== null), why = all.some((line) => line.why);
    const titles = ['kernel', '', 'measured', ...(forecasted ? ['predicted', 'predicted over measured'] : []), '× the fastest', 'GB/s', 'setup'];
    const head = make('tr');
    for (const title of titles) head.append(make('th', title && title !== 'kernel' ? {class: 'n', scope: 'col'} : {scope: 'col'}, title));
    const body = make('tbody');
    for (const line of all) {
      const tr = make('tr', line.planned ? {class: 'planned'} : {});
      const add = (text, attributes = {class: 'n'}) => tr.append(make('td', attributes, text));
      const name = line.id ? make('a', {href: '#' + line.id, title: 'this case in the table'}, line.kernel) : line.kernel;
      const words = [line.note, line.why].filter((text) => text).join('; ');
      tr.append(make('th', {scope: 'row'}, name, ...(line.planned ? [make('em', {}, 'plan')] : []), make('small', {class: 'why'}, words)));
      const bar = make('div');
      if (line.measured) bar.append(make('span', {class: is_peer(line.kernel) ? 'peer' : line.planned || is_plan(line.kernel) ? 'planned' : 'ours', style: `width:${share(line.measured)}%`}));
      if (line.predicted > 0) bar.append(make('i', {style: `left:${share(line.predicted)}%`, title: 'predicted'}));
      tr.append(make('td', {class: 'bar'}, bar));
      add(line.measured ? write.seconds(line.measured) : '', {class: 'n', 'data-title': 'measured'});
      if (forecasted) {
        add(line.predicted > 0 ? write.seconds(line.predicted) : '', {class: 'n', 'data-title': 'predicted'});
        add(line.predicted > 0 && line.measured ? write.ratio(line.predicted / line.measured) : '', {class: 'n', 'data-title': 'predicted over measured'});
      }
      add(line.measured ? write.ratio(line.measured / best) : '', {class: 'n', 'data-title': '× the fastest'});
      const rate = line.row && get(line.row, 'rate'), setup = line.row && get(line.row, 'setup_s');
      add(rate ? write.rate(rate) : '', {class: 'n', 'data-title': 'GB/s'});
      add(setup === null || setup === undefined ? '' : write.seconds(setup), {class: 'n', 'data-title': 'setup'});
      body.append(tr);
    }
    return [make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Kernels on this matrix'},
        make('table', {class: 'kernels'}, make('thead', {}, head), body)),
        make('p', {class: 'hint'}, 'A longer bar is faster. ' + (forecasted ? 'The mark in a bar is what was predicted. ' : 'What was predicted is ' + absent + '. ') +
            (why ? '' : 'What a plan thought of each kernel is ' + absent + '.'))];
  };
  const why = (all) => {
    const part = make('div', {class: 'why'}, make('h3', {}, 'Why the plan chose'));
    const say = (...words) => part.append(make('p', {}, ...words));
    const f = forecast();
    const plans = state.matrix.plans.filter((p) => p.type + ' ' + p.op === state.product);
    const planned = all.find((line) => line.planned);
    if (f && f.kernel) say('The plan took ', make('strong', {}, f.kernel), ': ' + f.why + '.');
    if (f && f.kernel && f.predictions[0].kernel !== f.kernel)
      say('The model alone puts ', make('strong', {}, f.predictions[0].kernel), ' first: ' + f.predictions[0].why + '. On a CPU a plan times a few before it takes one.');
    if (!(f && f.kernel) && planned && plans.length === 0) say('A plan takes ', make('strong', {}, planned.kernel), '. Why is ' + absent + '.');
    else if (f && !f.kernel && f.predictions.length > 0)
      say('No plan was asked in this run. Its model puts ', make('strong', {}, f.predictions[0].kernel), ' first: ' + f.predictions[0].why + '.');
    if (plans.length > 0) {
      const list = make('ul');
      for (const p of plans) list.append(make('li', {}, make('strong', {}, p.kernel), ' took ' + p.text));
      part.append(list);
    }
    if (!planned && !f && plans.length === 0) say('What a plan would take here, and why, is ' + absent + '.');
    const ours = all.filter((line) => line.measured && !is_peer(line.kernel) && !is_plan(line.kernel));
    const taken = planned ?? all.find((line) => line.kernel === 'plan/balanced/' + state.product.split(' ')[1].toLowerCase());
    if (taken && taken.measured && ours.length > 1)
      say(ours[0] === taken ? `It is the fastest of the ${ours.length} kernels of ours that were measured.`
          : `The fastest of our ${ours.length} kernels that were measured is ${ours[0].kernel}; ${planned ? 'what the plan took' : taken.kernel} takes ${write.ratio(taken.measured / ours[0].measured)} times its time.`);
    return part;
  };

  // ----- what is picked
  const fill = (menu, values, chosen, texts = values) => {
    menu.replaceChildren(...values.map((value, i) => new Option(texts[i], value)));
    menu.value = chosen;
    menu.hidden = values.length < 2;
  };
  const draw = () => {
    const matrices = state.run.matrices;
    fill($('explore-record'), runs.map((run) => run.record), state.run.record);
    fill($('explore-matrix'), matrices.map((m) => m.id), state.matrix.id, matrices.map((m) => m.name));
    const its = rows_of().map(({row}) => row);
    const products = unique([...its.filter(timed).map(product_of), ...its.map(product_of)]);
    if (!products.includes(state.product)) state.product = products.includes('f64 N') ? 'f64 N' : products[0];
    fill($('explore-product'), products, state.product);
    const threads = unique(its.filter((row) => product_of(row) === state.product).map((row) => String(get(row, 'threads'))));
    const several = unique([...threads, ...state.matrix.forecasts.map((f) => String(f.threads))]).sort((a, b) => b - a);
    if (!several.includes(state.threads)) state.threads = several.length > 1 ? several[0] : '';
    fill($('explore-threads'), several.length > 1 ? several : [], state.threads, several.map((n) => n === '1' ? '1 thread' : n + ' threads'));
    $('explore-before').disabled = matrices.indexOf(state.matrix) === 0;
    $('explore-next').disabled = matrices.indexOf(state.matrix) === matrices.length - 1;
    $('explore-link').href = '#' + state.matrix.id + '/' + state.product.replace(' ', '-');
    const all = lines();
    $('explore-matrix-part').replaceChildren(make('h3', {}, state.matrix.name), spy(), facts(), lengths());
    $('explore-kernels-part').replaceChildren(why(all), ...table(all));
  };
  const step = (by) => {
    const matrices = state.run.matrices;
    state.matrix = matrices[Math.min(Math.max(matrices.indexOf(state.matrix) + by, 0), matrices.length - 1)];
    draw();
  };
  const pick = (menu, set) => $(menu).addEventListener('change', () => { set($(menu).value); draw(); });
  pick('explore-record', (name) => {
    state.run = runs.find((run) => run.record === name);
    state.matrix = state.run.matrices.find((m) => m.name === state.matrix.name) ?? state.run.matrices[0];
  });
  pick('explore-matrix', (id) => { state.matrix = state.run.matrices.find((m) => m.id === id); });
  pick('explore-product', (product) => { state.product = product; });
  pick('explore-threads', (threads) => { state.threads = threads; });
  $('explore-before').addEventListener('click', () => step(-1));
  $('explore-next').addEventListener('click', () => step(1));

  // The address names a matrix and, behind a stroke, a product.
  const go = () => {
    const [id, product] = decodeURIComponent(location.hash.slice(1)).split('/');
    const run = runs.find((one) => one.matrices.some((m) => m.id === id));
    if (!run) return;
    state.run = run;
    state.matrix = run.matrices.find((m) => m.id === id);
    if (product) state.product = product.replace('-', ' ');
    draw();
    $('explorer').scrollIntoView();
  };
  addEventListener('hashchange', go);
  // An address that is there already changes nothing, but a reader who clicks again wants to see it.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('.gallery a');
    if (link && link.hash === location.hash) go();
  });
  draw();
  go();
})();
