// Follows the logs: loads the page again, and replaces the table while the box is checked.
const intervalMs = 3000
const box = document.querySelector('[data-follow]')

async function load() {
  const response = await fetch(location.href)
  if (!response.ok) return
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  const [current, latest] = [document, next].map((one) => one.querySelector('[data-followed]'))
  if (current && latest) current.replaceWith(latest)
}

if (box) {
  box.hidden = false
  const input = box.querySelector('input')
  setInterval(() => input.checked && document.visibilityState === 'visible' && load(), intervalMs)
}
