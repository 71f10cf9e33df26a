// Makes the pages live. Everything works without it, by links and forms.
(function () {
  'use strict';
  const LIVE_MILLIS = 2000;
  const GAP_MILLIS = 25000;
  const RELOADED = 'outbox-reloaded';
  const STEPS_OF_TIME = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400, 604800, 2592000];
  // Spring Security answers such requests itself, instead of leading them to a login page, and does not come back to them after it.
  const NO_PAGE = { 'X-Requested-With': 'XMLHttpRequest' };
  const ahead = Date.now() - Number(document.body.dataset.now);
  let charts = null;
  let sampling = false;
  let answered = Date.now();
  let withoutDatabase = false;
  let paused = false;
  let pressed = false;
  let held = false;
  let signedOut = false;
  let checked = null;

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
      const text = Math.abs(age) < 1000 ? 'now' : age < 0 ? 'in ' + span(-age) : span(age) + ' ago';
      write(time.firstElementChild, text);
    });
  }

  function tick() {
    label();
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
    const silent = signedOut || !paused && age > 3 * LIVE_MILLIS;
    const old = document.getElementById('stale');
    const stale = silent || (!paused && old !== null);
    document.body.classList.toggle('stale', stale);
    document.body.classList.toggle('paused', paused);
    write(document.getElementById('freshness'), signedOut ? 'signed out' : paused ? 'paused' : silent ? 'no answer for ' + span(age) : old ? 'as of ' + old.dataset.at : held ? 'held' : 'live');
    if (signedOut) write(document.getElementById('status'), 'You are signed out. This page shows an earlier state.');
    else if (silent) write(document.getElementById('status'), 'The ' + (withoutDatabase ? 'database' : 'application') + ' does not answer. This page shows an earlier state.');
    else announce();
  }

  // On a small screen, rows become cards, whose values need the heads of their columns.
  function label() {
    document.querySelectorAll('.scroll table:not(.cards)').forEach((table) => {
      const heads = Array.from(table.querySelectorAll('thead th'), (head) => head.textContent);
      table.querySelectorAll('tbody tr').forEach((row) => {
        if (row.cells.length === heads.length) heads.forEach((head, i) => { row.cells[i].dataset.label = head; });
      });
      table.classList.add('cards');
    });
  }

  function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function time(at) {
    return new Date(at).toISOString().slice(11, 19) + 'Z';
  }

  // The golden angle keeps the hues of any number of streams apart.
  function color(index) {
    return 'hsl(' + Math.round(230 + index * 137.508) % 360 + ' 65% ' + style('--line') + ')';
  }

  function chart(id, text) {
    return new Chart(document.getElementById(id), {
      type: 'line',
      data: { datasets: [] },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        spanGaps: GAP_MILLIS,
        elements: { point: { radius: 0, hitRadius: 8 }, line: { borderWidth: 2 } },
        scales: {
          x: { type: 'linear', ticks: { stepSize: 120000, maxRotation: 0, color: style('--dim'), callback: (at) => time(at).slice(0, 5) }, grid: { display: false }, border: { color: style('--edge') } },
          y: { beginAtZero: true, suggestedMax: 1, ticks: { maxTicksLimit: 5, color: style('--dim'), callback: text }, grid: { color: style('--edge') }, border: { display: false } }
        },
        plugins: {
          legend: { labels: { boxWidth: 12, boxHeight: 2, color: style('--text') } },
          tooltip: { callbacks: { title: (items) => items.length && time(items[0].parsed.x), label: (item) => item.dataset.label + ': ' + text(item.parsed.y) } }
        }
      }
    });
  }

  function draw(target, samples, lines) {
    const now = Date.now() - ahead;
    Object.assign(target.options.scales.x, { min: now - 600000, max: now });
    target.data.datasets = Object.keys(lines).map((name) => {
      const own = color(samples.colors.indexOf(name));
      const known = target.data.datasets.find((line) => line.label === name) || {};
      const data = samples.at.map((x, i) => ({ x, y: lines[name][i] }));
      return Object.assign(known, { label: name, data, borderColor: own, backgroundColor: own });
    });
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
        charts = charts || { throughput: chart('throughput', (rate) => rate.toLocaleString('en')), lag: chart('lag', (lag) => span(lag * 1000)) };
        draw(charts.throughput, samples, samples.throughput);
        const longest = Math.max(1, ...Object.values(samples.lag).flat());
        charts.lag.options.scales.y.ticks.stepSize = STEPS_OF_TIME.find((step) => longest <= 5 * step);
        draw(charts.lag, samples, samples.lag);
      })
      .catch(() => {})
      .finally(() => { sampling = false; });
  }

  function refresh() {
    if (document.hidden || paused || signedOut) return;
    document.querySelectorAll('[data-live]:not(.htmx-request)').forEach((part) => htmx.trigger(part, 'live'));
    sample();
  }

  function isOwn(type) {
    return (type || '').includes('profile=outbox');
  }

  // Renders only parts of the console. A login page in their place leads there, once: a page that comes back to this would reload for ever.
  function keepOwn(event) {
    const answer = event.detail.xhr;
    if (isOwn(answer.getResponseHeader('Content-Type'))) {
      sessionStorage.removeItem(RELOADED);
      return;
    }
    event.preventDefault();
    if (answer.status >= 400 && answer.status !== 401 && answer.status !== 403) return;
    signedOut = true;
    showFreshness();
    if (sessionStorage.getItem(RELOADED)) return;
    sessionStorage.setItem(RELOADED, 'yes');
    location.reload();
  }

  function tell(form, what) {
    form.querySelectorAll('.notice').forEach((notice) => notice.remove());
    form.prepend(document.getElementById(what).content.cloneNode(true));
  }

  // Sends a form with the token of the present session. If there is none, the form stays with what was typed.
  function send(event) {
    const form = event.target;
    if (form.method !== 'post' || form === checked) return;
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = 'yes';
    fetch(document.body.dataset.session, { headers: NO_PAGE, signal: AbortSignal.timeout(10000) })
      .then((response) => (isOwn(response.headers.get('Content-Type')) ? response.text() : null))
      .then((html) => {
        if (html === null) {
          if (form.elements.reason) tell(form, 'signed-out');
          else location.reload();
          return;
        }
        const token = new DOMParser().parseFromString(html, 'text/html').querySelector('input[type=hidden]');
        if (token && form.elements[token.name]) form.elements[token.name].value = token.value;
        checked = form;
        form.requestSubmit(event.submitter);
        checked = null;
      })
      .catch(() => tell(form, 'no-answer'))
      .finally(() => { delete form.dataset.sending; });
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
    const open = Array.from(part.querySelectorAll('details'), (details) => details.open);
    const link = part.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    part.addEventListener('htmx:afterSwap', () => {
      part.querySelectorAll('details').forEach((details, i) => { details.open = open[i] || false; });
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
  document.addEventListener('submit', send);
  document.addEventListener('htmx:configRequest', (event) => Object.assign(event.detail.headers, NO_PAGE));
  document.addEventListener('htmx:beforeOnLoad', keepOwn);
  document.addEventListener('htmx:beforeSwap', keepPlace);
  document.addEventListener('htmx:afterSwap', tick);
  document.addEventListener('htmx:afterRequest', (event) => {
    if (event.detail.successful) answered = Date.now();
    withoutDatabase = event.detail.xhr.status === 503;
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
  label();
  sample();
})();
