// Shows the claims of a pasted token before it is sent.
const field = document.querySelector('[data-decode]')

function decoded(part) {
  const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), undefined, 2)
}

function claimsOf(token) {
  try {
    const [header, claims] = token.trim().split('.')
    return `${decoded(header)}\n${decoded(claims)}`
  } catch {
    return ''
  }
}

if (field) {
  const shown = document.createElement('pre')
  shown.hidden = true
  shown.tabIndex = 0
  shown.setAttribute('aria-label', 'Header and claims of the pasted token')
  shown.setAttribute('role', 'region')
  field.after(shown)
  field.addEventListener('input', () => {
    shown.textContent = claimsOf(field.value)
    shown.hidden = shown.textContent === ''
  })
}
