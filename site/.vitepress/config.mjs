// Builds the Markdown of the repository as a site. Links to files that are no pages of the site lead to the repository.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8')
const repository = /<scm[^]*?<url>(.*?)<\/url>/.exec(read('pom.xml'))[1]

const folders = ['', 'docs', 'docs/monitoring']
const pages = ['verification/guarantees.md', 'verification/pages.md', ...folders.flatMap((folder) => fs
  .readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.md')).map((file) => path.posix.join(folder, file)))]
const address = (page) => page.replace(/(^|\/)README\.md$/, '$1index.md')

/** Resolves the link of a page. One that leads nowhere fails the build. */
function resolve(page, link) {
  const [file, anchor] = link.split('#')
  const target = path.posix.join(path.posix.dirname(page), file)
  if (/^[a-z]+:/.test(link) || !file) {
    return link
  }
  if (pages.includes(target)) {
    return '/' + address(target) + (anchor ? '#' + anchor : '')
  }
  if (!fs.existsSync(path.join(root, target))) {
    throw new Error(`${page}: no file ${link}`)
  }
  return `${repository}/tree/main/${target}`
}

/** The groups of docs/README.md. */
const sidebar = read('docs/README.md').split(/^## /m).slice(1).map((group) => ({
  text: group.slice(0, group.indexOf('\n')),
  items: [...group.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, link]) => ({
    text, link: resolve('docs/README.md', link).replace(/(index)?\.md$/, '')
  }))
}))

/** The first sentence below the title. */
function summary(page) {
  const text = read(page).split(/\n{2,}/).find((block) => /^[A-Z[`]/.test(block))
  return text?.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/[`*]|<[^>]+>/g, '').replaceAll('\n', ' ').replace(/\. .*/, '.')
}

/** Removes the indent that all lines have. */
function unindent(code) {
  const indents = code.split('\n').filter((line) => line.trim()).map((line) => line.search(/\S/))
  return code.replaceAll(new RegExp(`^ {${Math.min(...indents)}}`, 'gm'), '')
}

export default defineConfig({
  title: 'Outbox',
  description: /<description>(.*?)<\/description>/.exec(read('pom.xml'))[1],
  srcDir: '..',
  srcExclude: ['**/outbox-*/**', '**/{decisions,node_modules,samples,target}/**', '**/.*/**'],
  outDir: '../target/site',
  cacheDir: '../target/site-cache',
  rewrites: address,
  cleanUrls: true,
  markdown: {
    anchor: { slugify: (text) => text.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-') },
    config(md) {
      md.core.ruler.push('links', ({ tokens, env }) => tokens.flatMap((token) => token.children ?? [])
        .filter((token) => token.type === 'link_open')
        .forEach((token) => token.attrSet('href', resolve(path.relative(root, env.path), token.attrGet('href')))))
      const { fence } = md.renderer.rules
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index]
        token.content = unindent(token.content)
        return token.info === 'mermaid'
          ? `<Mermaid name="diagram-${index}" code="${encodeURIComponent(token.content)}" />`
          : fence(tokens, index, ...rest)
      }
    }
  },
  // The pages lie outside the folder of the packages.
  vite: { resolve: { alias: { vue: path.join(root, 'site/node_modules/vue') } } },
  themeConfig: {
    nav: [{ text: 'Getting started', link: '/docs/getting-started' }, { text: 'All pages', link: '/docs/' }],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }]
  },
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  transformPageData(data) {
    data.description = summary(data.filePath) ?? ''
    if (data.filePath === 'docs/configuration.md') {
      Object.assign(data.frontmatter, { aside: false, pageClass: 'properties' })
    }
  },
  buildEnd({ outDir }) {
    for (const file of ['llms.txt', 'outbox-console/src/main/resources/dev/outbox/console/assets/icon.svg']) {
      fs.copyFileSync(path.join(root, file), path.join(outDir, path.basename(file)))
    }
  }
})
