// Every page works without this script.

// Adds a button to every value that people copy.
for (const value of document.querySelectorAll('.copyable')) {
  const near = value.closest('dd')?.previousElementSibling ?? value.closest('tr')?.cells[0]
  const label = value.ariaLabel ?? near?.textContent ?? value.textContent
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'copy',
    textContent: 'Copy',
    ariaLabel: `Copy ${label}`.slice(0, 80),
  })
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(value.textContent)
    button.textContent = 'Copied'
    setTimeout(() => Object.assign(button, { textContent: 'Copy' }), 2000)
  })
  if (value.matches('pre')) value.before(button)
  else value.after(button)
}

// A link that looks like a button follows the keys of a button.
document.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !event.target.matches('a[role="button"]')) return
  event.preventDefault()
  event.target.click()
})

// Shows the current entry of a navigation that is wider than the screen.
for (const one of document.querySelectorAll('nav [aria-current]')) {
  one.closest('ul').scrollLeft = one.offsetLeft - 32
}

// Keeps the words of every time current, as the server writes them. A lab can change the clock of the server.
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const units = Object.entries({ day: 86400, hour: 3600, minute: 60, second: 1 })
const { now } = document.documentElement.dataset
const aheadMs = now === undefined ? 0 : Date.parse(now) - Date.now()
setInterval(() => {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const seconds = Math.round((Date.parse(time.dateTime) - Date.now() - aheadMs) / 1000)
    const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? units[3]
    const text = words.format(Math.trunc(seconds / size), unit)
    if (time.textContent !== text) time.textContent = text
  }
}, 1000)

// Follows the logs: loads the page again, and replaces the table while the box is checked.
async function load() {
  const response = await fetch(location.href, { headers: { 'portal-part': 'followed' } })
  if (!response.ok) return
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  const [current, latest] = [document, next].map((one) => one.querySelector('[data-followed]'))
  if (current && latest) current.replaceWith(latest)
}
for (const box of document.querySelectorAll('[data-follow]')) {
  box.hidden = false
  const input = box.querySelector('input')
  setInterval(() => input.checked && document.visibilityState === 'visible' && load(), 3000)
}
