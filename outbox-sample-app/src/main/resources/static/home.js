const text = (id, value) => { document.getElementById(id).textContent = value }

let id = ''

async function send(method, path, body) {
  const answer = await fetch(path.replace('{id}', id), { method, body, headers: body && { 'Content-Type': 'application/json' } })
  text('message', answer.ok ? '' : `${method} ${path}: ${answer.status} ${await answer.text()}`)
  if (body && answer.ok) id = (await answer.json()).id
  await refresh()
}

async function subscribe() {
  const guildId = `guild-${Date.now()}`
  const userId = `user-${Date.now()}`
  await send('POST', 'guilds', JSON.stringify({ guildId, installerUserId: userId }))
  await send('POST', 'subscriptions', JSON.stringify({ guildId, planCode: 'pro', userId }))
}

async function order(count) {
  for (let done = 1; done <= count; done++) {
    const answer = await fetch('orders', {
      method: 'POST', body: JSON.stringify({ item: 'teapot' }), headers: { 'Content-Type': 'application/json' }
    })
    if (!answer.ok) {
      text('message', `POST orders: ${answer.status} ${await answer.text()}`)
      return
    }
    await fetch(`orders/${(await answer.json()).id}/payment`, { method: 'POST' })
    text('orders', `${done} of ${count} orders are paid`)
  }
}

async function showSubscription() {
  const { guildId, userId, planCode, status, retryCount, periodEnd } = await (await fetch(`subscriptions/${id}`)).json()
  const license = (await (await fetch('licenses')).json()).find((one) => one.guildId === guildId)
  const messages = (await (await fetch('notifications')).json()).filter((one) => one.recipient === userId)
  text('subscription', `${guildId}: ${planCode}, ${status}, ${retryCount} failed payments, paid until ${periodEnd}.
    License: ${license ? `${license.planCode}, ${license.status}` : 'none'}. Messages: ${messages.map((one) => one.message).join('; ')}`)
}

function describe(fault) {
  if (fault.name) {
    return `${fault.name}: ${fault.fault}`
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
  const active = [...faults.handlers, ...faults.gateways.filter((gateway) => gateway.fault !== 'NONE')]
  text('faults', active.map(describe).join('; ') || 'none')
  if (id) await showSubscription()
}

// Over Kafka, each of the two services has a part of the contexts.
for (const part of document.querySelectorAll('[data-part]')) {
  fetch(part.dataset.part).then((answer) => { part.hidden = answer.status === 404 })
}
for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', () =>
    'subscribe' in button.dataset ? subscribe()
      : button.dataset.orders ? order(Number(button.dataset.orders))
      : button.dataset.post ? send('POST', button.dataset.post) : send('DELETE', button.dataset.delete))
}
refresh()
setInterval(() => { if (!document.hidden) refresh() }, 2000)
