// Adds a button to every value that people copy.
for (const value of document.querySelectorAll('.copyable')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute(
    'aria-label',
    `Copy ${value.getAttribute('aria-label') ?? value.textContent}`.slice(0, 80),
  )
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(value.textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  value.after(button)
}
