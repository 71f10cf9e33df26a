// Makes the pages live. Everything works without it, by links and forms.
(function () {
  'use strict';
  const LIVE_MILLIS = 2000;
  const ahead = Date.now() - Number(document.body.dataset.now);
  const colors = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5', '--line-6'];
  let charts = null;
  let sampling = false;

  function span(millis) {
    const s = Math.floor(millis / 1000);
    const pair = (a, unit, b, small) => a + ' ' + unit + (b ? ' ' + b + ' ' + small : '');
    if (s < 60) return s + ' s';
    if (s < 3600) return pair(Math.floor(s / 60), 'min', s % 60, 's');
    if (s < 86400) return pair(Math.floor(s / 3600), 'h', Math.floor(s / 60) % 60, 'min');
    return pair(Math.floor(s / 86400), 'd', Math.floor(s / 3600) % 24, 'h');
  }

  function tick() {
    const now = Date.now() - ahead;
    document.querySelectorAll('time.ago').forEach((time) => {
      const age = now - Number(time.dataset.at);
      const text = age < 0 ? 'in ' + span(-age) : span(age) + ' ago';
      if (time.textContent !== text) time.textContent = text;
    });
  }

  function announce() {
    const fresh = document.getElementById('live-status');
    const shown = document.getElementById('status');
    if (fresh && shown && fresh.textContent !== shown.textContent) shown.textContent = fresh.textContent;
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
    fetch(section.dataset.samples, { headers: { Accept: 'application/json' } })
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
    if (document.hidden) return;
    document.querySelectorAll('[data-live]:not(.htmx-request)').forEach((part) => htmx.trigger(part, 'live'));
    sample();
  }

  document.addEventListener('htmx:afterSwap', () => { tick(); announce(); });
  function failed() {
    document.body.classList.add('stale');
    const bulk = document.getElementById('bulk-failed');
    if (bulk) bulk.hidden = false;
  }

  document.addEventListener('htmx:responseError', failed);
  document.addEventListener('htmx:sendError', failed);
  document.addEventListener('htmx:afterOnLoad', () => document.body.classList.remove('stale'));
  document.addEventListener('visibilitychange', refresh);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => location.reload());
  setInterval(tick, 1000);
  if (document.querySelector('[data-live]')) setInterval(refresh, LIVE_MILLIS);
  sample();
})();
