// Makes the pages live. Everything works without it, by links and forms.
(function () {
  'use strict';
  const LIVE_MILLIS = 2000;
  const SPOKEN_MILLIS = 5000;
  const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' };
  const RELOADED = 'outbox-reloaded';
  // Spring Security answers such requests itself, instead of leading them to a login page, and does not come back to them after it.
  const NO_PAGE = { 'X-Requested-With': 'XMLHttpRequest' };
  const ahead = Date.now() - Number(document.body.dataset.now);
  let answered = Date.now();
  let shown = answered;
  let problem = problemOf('');
  let said = '';
  let spoken = 0;
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
      addLocalTime(time);
    });
  }

  // The server writes times in UTC, which the clock of the reader may not show.
  function addLocalTime(time) {
    const at = new Date(Number(time.dataset.at));
    if (at.getTimezoneOffset() === 0 || time.querySelector('.local')) return;
    const day = at.toLocaleDateString('sv-SE');
    const today = day === new Date().toLocaleDateString('sv-SE');
    const local = document.createElement('small');
    local.className = 'local';
    local.textContent = (today ? '' : day + ' ') + at.toLocaleTimeString('en-GB', CLOCK);
    time.append(' ', local);
  }

  // Browsers offer the clipboard to pages at localhost and behind TLS only.
  function addCopyButtons() {
    if (!navigator.clipboard) return;
    document.querySelectorAll('[data-copy]').forEach((source) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'quiet copy';
      button.innerHTML = '<span>Copy</span><span></span>';
      button.lastElementChild.textContent = ' ' + source.dataset.copy;
      button.lastElementChild.classList.toggle('hidden', !source.hidden);
      const say = (text) => write(button.firstElementChild, text);
      button.addEventListener('click', () => {
        navigator.clipboard.writeText(source.textContent).then(() => say('Copied'), () => say('Cannot copy'));
        setTimeout(say, SPOKEN_MILLIS, 'Copy');
      });
      source.after(' ', button);
    });
  }

  function addSelectAll() {
    const all = document.getElementById('select-all');
    const rows = Array.from(document.querySelectorAll('td [type=checkbox]'));
    if (!all || !rows.length) return;
    const follow = () => {
      all.checked = rows.every((row) => row.checked);
      all.indeterminate = !all.checked && rows.some((row) => row.checked);
    };
    all.addEventListener('change', () => rows.forEach((row) => { row.checked = all.checked; }));
    rows.forEach((row) => row.addEventListener('change', follow));
    all.parentElement.hidden = false;
    follow();
  }

  function tick() {
    label();
    ages();
    showFreshness();
  }

  function write(element, text) {
    if (element && element.textContent !== text) element.textContent = text;
  }

  // A figure that changes is no news for a screen reader; the number of failing handlers is.
  function announce(text) {
    const sentence = text.replace(/[\d,.]+\+?(?![\d,.+]| handler)/g, '');
    if (said && said !== sentence) {
      write(document.getElementById('status'), text);
      spoken = Date.now();
    } else if (Date.now() - spoken > SPOKEN_MILLIS && !document.body.classList.contains('stale')) {
      write(document.getElementById('status'), '');
    }
    said = sentence;
  }

  // The page is live if the server has answered lately, whatever became of the requests since.
  function showFreshness() {
    const now = Date.now();
    const old = document.getElementById('stale');
    const silent = now - answered > 3 * LIVE_MILLIS;
    const state = signedOut ? 'stale' : paused ? 'paused' : silent || old ? 'stale' : held ? 'held' : 'live';
    const texts = {
      paused: 'paused',
      stale: signedOut ? 'signed out' : silent ? 'no answer for ' + span(now - answered) : old && 'as of ' + old.dataset.at,
      held: 'held for ' + span(now - shown),
      live: 'live'
    };
    Object.keys(texts).forEach((name) => document.body.classList.toggle(name, name === state));
    write(document.getElementById('freshness'), texts[state]);
    const fresh = document.getElementById('headline');
    const reason = signedOut ? 'You are signed out' : state !== 'stale' ? '' : silent ? problem : 'The database is slow, or does not answer';
    if (fresh) announce(reason ? reason + '. This page shows an earlier state.' : fresh.textContent);
  }

  // An error page of the console names the problem. Whatever else answers is not the application.
  function problemOf(answer) {
    const title = new DOMParser().parseFromString(answer, 'text/html').querySelector('.problem h1');
    return title ? title.textContent : 'The application does not answer';
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

  function refresh() {
    if (document.hidden || paused || signedOut) return;
    document.querySelectorAll('[data-live]:not(.htmx-request)').forEach((part) => htmx.trigger(part, 'live'));
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

  function selector(element) {
    return element.matches('summary')
      ? 'details[id="' + element.parentElement.id + '"] > summary'
      : 'a[href="' + CSS.escape(element.getAttribute('href')) + '"]';
  }

  // Replaces the content, but neither how far a table is scrolled, nor what is open, nor what has the focus.
  function keepPlace(event) {
    const part = event.detail.target;
    if (!part.matches('[data-live]')) return;
    held = isInUse(part);
    if (held) {
      event.detail.shouldSwap = false;
      return;
    }
    const scrolled = Array.from(part.querySelectorAll('.scroll'), (table) => table.scrollLeft);
    const open = Array.from(part.querySelectorAll('details[open]'), (details) => details.id);
    const focus = part.contains(document.activeElement) ? selector(document.activeElement) : null;
    part.addEventListener('htmx:afterSwap', () => {
      shown = Date.now();
      part.querySelectorAll('details').forEach((details) => { details.open = open.includes(details.id); });
      part.querySelectorAll('.scroll').forEach((table, i) => { table.scrollLeft = scrolled[i] || 0; });
      const same = focus && part.querySelector(focus);
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
    else problem = problemOf(event.detail.xhr.responseText);
    showFreshness();
  });
  document.addEventListener('visibilitychange', () => {
    answered = Date.now();
    refresh();
  });
  if (document.querySelector('[data-live]')) {
    showFreshness();
    setInterval(tick, 1000);
    setInterval(refresh, LIVE_MILLIS);
    const button = document.getElementById('pause');
    if (button) {
      button.hidden = false;
      button.addEventListener('click', pause);
    }
    showFreshness();
  } else {
    setInterval(ages, 1000);
  }
  label();
  ages();
  addCopyButtons();
  addSelectAll();
})();
