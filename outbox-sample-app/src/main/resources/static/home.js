const text = (id, value) => { document.getElementById(id).textContent = value }

async function send(method, path) {
  const answer = await fetch(path, { method })
  text('message', answer.ok ? '' : `${method} ${path}: ${answer.status} ${await answer.text()}`)
  await refresh()
}

function describe(fault) {
  if (fault.name) {
    return `${fault.name} is down`
  }
  const parts = []
  if (fault.failPercent) parts.push(`fails ${fault.failPercent} % of the time`)
  if (fault.slowMillis) parts.push(`takes ${fault.slowMillis} ms longer`)
  if (fault.hang) parts.push('hangs')
  return `${fault.handlerId} ${parts.join(' and ')}`
}

async function refresh() {
  const answer = await fetch('demo/faults')
  document.getElementById('demo').hidden = !answer.ok
  document.getElementById('off').hidden = answer.ok
  if (!answer.ok) return
  const faults = await answer.json()
  const active = [...faults.handlers, ...faults.gateways.filter((gateway) => gateway.down)]
  text('faults', active.map(describe).join('; ') || 'none')
  const load = await (await fetch('demo/load')).json()
  text('load', load.running ? `${load.published} of ${load.asked} events published, ${load.backlog} not completed` : '')
}

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', () =>
    button.dataset.post ? send('POST', button.dataset.post) : send('DELETE', button.dataset.delete))
}
refresh()
setInterval(() => { if (!document.hidden) refresh() }, 2000)
