// Makes the pages live. Everything works without it, by links and forms.
(function () {
  'use strict';
  const LIVE_MILLIS = 2000;
  const ahead = Date.now() - Number(document.body.dataset.now);
  const colors = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5', '--line-6'];
  let charts = null;
  let sampling = false;
  let answered = Date.now();
  let paused = false;
  let pressed = false;
  let held = false;

  function span(millis) {
    const s = Math.floor(millis / 1000);
    const pair = (a, unit, b, small) => a + ' ' + unit + (b ? ' ' + b + ' ' + small : '');
    if (s < 60) return s + ' s';
    if (s < 3600) return pair(Math.floor(s / 60), 'min', s % 60, 's');
    if (s < 86400) return pair(Math.floor(s / 3600), 'h', Math.floor(s / 60) % 60, 'min');
    return pair(Math.floor(s / 86400), 'd', Math.floor(s / 3600) % 24, 'h');
  }

  function ages() {
    const now = Date.now() - ahead;
    document.querySelectorAll('time.ago').forEach((time) => {
      const age = now - Number(time.dataset.at);
      const text = age < 0 ? 'in ' + span(-age) : span(age) + ' ago';
      write(time, text);
    });
  }

  function tick() {
    ages();
    showFreshness();
  }

  function write(element, text) {
    if (element && element.textContent !== text) element.textContent = text;
  }

  function announce() {
    const fresh = document.getElementById('live-status');
    if (fresh) write(document.getElementById('status'), fresh.textContent);
  }

  // The page is live if the server has answered lately, whatever became of the requests since.
  function showFreshness() {
    const age = Date.now() - answered;
    const stale = !paused && age > 3 * LIVE_MILLIS;
    document.body.classList.toggle('stale', stale);
    document.body.classList.toggle('paused', paused);
    write(document.getElementById('freshness'), paused ? 'paused' : stale ? 'no answer for ' + span(age) : held ? 'held' : 'live');
    if (stale) write(document.getElementById('status'), 'The application does not answer. This page shows an earlier state.');
    else announce();
  }

  function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function chart(id) {
    return new Chart(document.getElementById(id), {
      type: 'line',
      data: { labels: [], datasets: [] },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        elements: { point: { radius: 0, hitRadius: 8 }, line: { borderWidth: 2, tension: 0.25 } },
        scales: {
          x: { ticks: { maxTicksLimit: 6, maxRotation: 0, color: style('--dim') }, grid: { display: false }, border: { color: style('--edge') } },
          y: { beginAtZero: true, suggestedMax: 1, ticks: { maxTicksLimit: 5, color: style('--dim') }, grid: { color: style('--edge') }, border: { display: false } }
        },
        plugins: { legend: { labels: { boxWidth: 12, boxHeight: 2, color: style('--text') } } }
      }
    });
  }

  function draw(target, labels, lines) {
    const names = Object.keys(lines);
    target.data.labels = labels;
    names.forEach((name, i) => {
      const color = style(colors[i % colors.length]);
      const known = target.data.datasets[i] || {};
      target.data.datasets[i] = Object.assign(known, { label: name, data: lines[name], borderColor: color, backgroundColor: color });
    });
    target.data.datasets.length = names.length;
    target.update();
  }

  function sample() {
    const section = document.querySelector('[data-samples]');
    if (!section || sampling || typeof Chart === 'undefined') return;
    sampling = true;
    fetch(section.dataset.samples, { headers: { Accept: 'application/json' }, signal: AbortSignal.timeout(2 * LIVE_MILLIS) })
      .then((response) => (response.ok ? response.json() : null))
      .then((samples) => {
        if (!samples) return;
        charts = charts || { throughput: chart('throughput'), lag: chart('lag') };
        const labels = samples.at.map((at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }));
        draw(charts.throughput, labels, samples.throughput);
        draw(charts.lag, labels, samples.lag);
      })
      .catch(() => {})
      .finally(() => { sampling = false; });
  }

  function refresh() {
    if (document.hidden || paused) return;
    document.querySelectorAll('[data-live]:not(.htmx-request)').forEach((part) => htmx.trigger(part, 'live'));
    sample();
  }

  // A click needs its element until the button is released, and a selection its text until it is copied.
  function isInUse(part) {
    const selection = getSelection();
    return pressed || (!selection.isCollapsed && part.contains(selection.anchorNode));
  }

  // Replaces the content, but neither how far a table is scrolled nor which link has the focus.
  function keepPlace(event) {
    const part = event.detail.target;
    if (!part.matches('[data-live]')) return;
    held = isInUse(part);
    if (held) {
      event.detail.shouldSwap = false;
      return;
    }
    const scrolled = Array.from(part.querySelectorAll('.scroll'), (table) => table.scrollLeft);
    const link = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    part.addEventListener('htmx:afterSwap', () => {
      part.querySelectorAll('.scroll').forEach((table, i) => { table.scrollLeft = scrolled[i] || 0; });
      const same = link && part.querySelector('a[href="' + CSS.escape(link) + '"]');
      if (same) same.focus({ preventScroll: true });
    }, { once: true });
  }

  function pause() {
    paused = !paused;
    this.setAttribute('aria-pressed', paused);
    answered = Date.now();
    showFreshness();
    refresh();
  }

  document.addEventListener('pointerdown', () => { pressed = true; });
  ['pointerup', 'pointercancel'].forEach((end) => document.addEventListener(end, () => setTimeout(() => { pressed = false; })));
  document.addEventListener('htmx:beforeSwap', keepPlace);
  document.addEventListener('htmx:afterSwap', tick);
  document.addEventListener('htmx:afterRequest', (event) => {
    if (event.detail.successful) answered = Date.now();
    showFreshness();
  });
  document.addEventListener('visibilitychange', () => {
    answered = Date.now();
    refresh();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => location.reload());
  if (document.querySelector('[data-live]')) {
    setInterval(tick, 1000);
    setInterval(refresh, LIVE_MILLIS);
    const button = document.getElementById('pause');
    if (button) {
      button.hidden = false;
      button.addEventListener('click', pause);
    }
  } else {
    setInterval(ages, 1000);
  }
  sample();
})();
