package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Builds the documentation as a static site, in target/site; a dead link fails the build. */
@Tag("full")
@EnabledIf(value = "isInstalled", disabledReason = "site/node_modules is missing: npm ci --prefix site")
class SiteTest {

    private static final Path FOLDER = SourceTree.ROOT.resolve("site");
    private static final Path GENERATOR = FOLDER.resolve("node_modules/vitepress/bin/vitepress.js");
    private static final Path SITE = SourceTree.ROOT.resolve("target/site");

    static boolean isInstalled() {
        return Files.exists(GENERATOR);
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void siteHasEveryPage() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("node", GENERATOR.toString(), "build", FOLDER.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(SourceTree.files("docs", "docs/(monitoring/)?[^/]+\\.md"))
                .isNotEmpty()
                .allSatisfy((page) -> assertThat(SITE.resolve(html(page))).exists());
        assertThat(SITE.resolve("verification/pages.html")).exists();
        assertThat(SITE.resolve("icon.svg")).exists();
        assertThat(SITE.resolve("docs/getting-started.html"))
                .content()
                .contains(
                        "<meta name=\"description\" content=\"Outbox stores an event in the transaction of your change, ");
        assertThat(SITE.resolve("index.html")).content().contains("embeddable transactional outbox");
        assertThat(SITE.resolve("llms.txt")).hasSameTextualContentAs(SourceTree.ROOT.resolve("llms.txt"));
    }

    private static String html(Path page) {
        return SourceTree.relative(page)
                .replaceFirst("README\\.md$", "index.md")
                .replaceFirst("md$", "html");
    }
}
