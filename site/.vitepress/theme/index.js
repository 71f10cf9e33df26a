import { defineComponent, h, onMounted, ref } from 'vue'
import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
// Copied rather than bundled, which takes a minute.
import source from 'mermaid/dist/mermaid.min.js?url'
import './style.css'

let loaded
const load = () => loaded ??= new Promise((resolve, reject) =>
  document.head.append(Object.assign(document.createElement('script'), { src: source, onload: resolve, onerror: reject })))

/** Diagram, drawn in the browser. */
const Mermaid = defineComponent({
  props: { code: { type: String, required: true }, name: { type: String, required: true } },
  setup({ code, name }) {
    const svg = ref('')
    const { isDark } = useData()
    onMounted(async () => {
      await load()
      window.mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral' })
      svg.value = (await window.mermaid.render(name, decodeURIComponent(code))).svg
    })
    return () => h('div', { class: 'diagram', innerHTML: svg.value })
  }
})

export default { extends: DefaultTheme, enhanceApp: ({ app }) => app.component('Mermaid', Mermaid) }
