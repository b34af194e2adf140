// Replaces the list of operations by Swagger UI, in which people try them with a token of their own.
// The token stays in the memory of the page.
const list = document.querySelector('#description')
const dark = matchMedia('(prefers-color-scheme: dark)')

const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)

/** The viewer has a main landmark, and a page has only one. */
function moveViewer() {
  const main = document.querySelector('main')
  const header = document.createElement('header')
  header.id = main.id
  header.append(...main.childNodes)
  main.replaceWith(header)
  header.after(document.querySelector('#viewer'))
}

/** The viewer names neither its tables of responses nor its choices of an example. */
function nameParts() {
  for (const one of document.querySelectorAll('#viewer table[role]')) one.ariaLabel = one.id
  for (const one of document.querySelectorAll('#viewer select')) one.ariaLabel ??= 'Example'
}

/** The page has the title and the server already. */
const withoutHeader = () => ({
  wrapComponents: { InfoContainer: () => () => null, ServersContainer: () => () => null },
})

const response = await fetch('openapi.json')
if (response.ok && 'SwaggerUIBundle' in window) {
  const description = await response.json()
  // The viewer could not request a token: the token endpoint is on another origin.
  const token = {
    type: 'http',
    scheme: 'bearer',
    description: 'Paste an access token for this API. It is not stored.',
  }
  const spec = {
    ...description,
    servers: [{ url: `${location.origin}${location.pathname.slice(0, -'/docs'.length)}` }],
    security: [{ token: [] }],
    components: { ...description.components, securitySchemes: { token } },
  }
  dark.addEventListener('change', applyTheme)
  applyTheme()
  moveViewer()
  const parts = { childList: true, subtree: true }
  new MutationObserver(nameParts).observe(document.querySelector('#viewer'), parts)
  SwaggerUIBundle({
    spec,
    dom_id: '#viewer',
    plugins: [withoutHeader],
    validatorUrl: null,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: -1,
    onComplete: () => list.remove(),
  })
}
