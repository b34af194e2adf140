// Keeps the words of every time current, as the server writes them.
const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const units = [
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

// The clock of the server, which a lab can change.
const loadedMs = Date.now()
const shownMs = Date.parse(document.documentElement.dataset.now ?? '')
const aheadMs = Number.isNaN(shownMs) ? 0 : shownMs - loadedMs

function refresh() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const seconds = Math.round((Date.parse(time.dateTime) - Date.now() - aheadMs) / 1000)
    const [unit, size] = units.find(([, least]) => Math.abs(seconds) >= least) ?? units[3]
    const text = words.format(Math.trunc(seconds / size), unit)
    if (time.textContent !== text) time.textContent = text
  }
}

setInterval(refresh, 1000)
