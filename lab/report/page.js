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
  const tell = (event) => {
    const mark = event.target.closest('[data-tip]');
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    place(event.clientX, event.clientY);
  };
  document.addEventListener('pointermove', tell);
  document.addEventListener('pointerdown', tell);
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
  for (const part of document.querySelectorAll('.needs-script')) part.hidden = false;

  // ----- what the table and the explorer share
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
  // An element with attributes and children; texts are texts.
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  window.nonzero = {$, data, at, write, make};
})();
