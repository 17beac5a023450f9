// Appended to a page by the browser test: uses it as a reader would and writes down what it saw.
(() => {
  const $ = (id) => document.getElementById(id);
  const seen = {errors: window.selftest_errors, width: innerWidth};
  const rows = () => [...$('cases').tBodies[0].rows];
  const cells = (key) => rows().map((row) => row.querySelector(`td[data-key=${key}]`));
  const values = (key) => cells(key).map((td) => (td.title === '' ? null : td.title));
  const title = (key) => document.querySelector(`#cases th[data-key=${key}]`);
  const data = JSON.parse($('data').textContent);

  seen.all = data.rows.length;
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

  seen.too_wide = document.scrollingElement.scrollWidth - innerWidth;
  const summary = document.querySelector('.summary');
  seen.summary_hidden = summary ? summary.parentElement.scrollWidth - summary.parentElement.clientWidth : -1;
  seen.paper = getComputedStyle(document.documentElement).backgroundColor;
  seen.loaded = performance.getEntriesByType('resource').map((e) => e.name).filter((n) => !n.startsWith('data:'));
  const pre = document.createElement('pre');
  pre.id = 'selftest';
  pre.textContent = JSON.stringify(seen);
  document.body.append(pre);
  if (parent !== window) parent.postMessage(pre.textContent, '*');
})();
