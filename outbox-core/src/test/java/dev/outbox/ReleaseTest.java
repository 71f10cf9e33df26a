package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a release consists of, which several files have to agree on. */
class ReleaseTest {

    private static final String ROOT = read("pom.xml");
    private static final String BOM = "outbox-bom";
    private static final String VERIFICATION = "verification";
    private static final String NOT_DEPLOYED = "<maven.deploy.skip>true</maven.deploy.skip>";

    @Test
    void theBomListsEveryPublishedModule() {
        List<String> published = modules().stream()
                .filter((module) -> !module.equals(BOM))
                .filter((module) -> !read(module + "/pom.xml").contains(NOT_DEPLOYED))
                .toList();

        String managed = read("outbox-bom/pom.xml").split("<dependencyManagement>", 2)[1];
        assertThat(published).contains("outbox-core", "outbox-spring-boot-starter");
        assertThat(all("<artifactId>(outbox-[^<]+)</artifactId>", managed))
                .containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void nothingElseIsHandedToMavenCentral() {
        List<String> kept = new ArrayList<>();
        SourceTree.files("", "(outbox|verification).*/pom\\.xml").stream()
                .filter((pom) -> !SourceTree.relative(pom).contains("/src/"))
                .filter((pom) -> SourceTree.relative(pom).startsWith(VERIFICATION)
                        || SourceTree.read(pom).contains(NOT_DEPLOYED))
                .forEach((pom) -> kept.add(ownArtifactId(SourceTree.read(pom))));

        assertThat(all("<excludeArtifact>([^<]+)</excludeArtifact>", ROOT)).containsExactlyInAnyOrderElementsOf(kept);
    }

    @Test
    void theWorkflowRunsOnEveryPostgresMajorAndJdk() {
        String workflow = read(".github/workflows/ci.yml");

        assertThat(all("<postgres-\\d+-binaries\\.version>([^<]+)<", ROOT)).hasSize(4);
        assertThat(workflow)
                .contains("postgres: " + all("<postgres-\\d+-binaries\\.version>([^<]+)<", ROOT))
                .contains("java: [17, 21, 25]")
                .contains("bash .ci/run ");
    }

    @Test
    void releaseHasSourcesJavadocSbomAndProvenance() {
        String profile = ROOT.split("<id>release</id>", 2)[1];
        String workflow = read(".github/workflows/release.yml");

        assertThat(profile)
                .contains("<maven.source.skip>false<", "<maven.javadoc.skip>false<", "<cyclonedx.skip>false<");
        assertThat(workflow)
                .contains("bash .ci/stage", "-Prelease deploy", "uses: actions/attest-build-provenance@")
                .contains("id-token: write", "attestations: write", "-cyclonedx.json");
        assertThat(all("<artifactId>cyclonedx-maven-plugin</artifactId>(?s:.*?)<outputName>([^<]+)<", ROOT)
                        .get(0))
                .endsWith("-cyclonedx");
        assertThat(modules().stream()
                        .filter((module) -> module.startsWith("outbox-")
                                && read(module + "/pom.xml").contains(NOT_DEPLOYED)))
                .isNotEmpty()
                .allSatisfy((module) -> assertThat(workflow).contains("!" + module + "/**"));
    }

    @Test
    void supportedVersionsAreThoseOfTheBuild() {
        List<String> cells = List.of(
                all("<version>(\\d+\\.\\d+)\\.\\d+-SNAPSHOT</version>", ROOT).get(0),
                all("<spring-boot.version>([^<]+)<", ROOT).get(0),
                all("java: \\[([^]]+)]", read(".github/workflows/ci.yml")).get(0),
                String.join(", ", all("<postgres-(\\d+)-binaries\\.version>", ROOT)));

        assertThat(read("UPGRADING.md")).contains("\n| " + String.join(" | ", cells) + " | ");
    }

    @Test
    void upgradingAndChangelogSpeakOfTheNextVersion() {
        String version = all("<version>([0-9.]+)-SNAPSHOT</version>", ROOT).get(0);

        assertThat(read("UPGRADING.md")).contains("## " + version);
        assertThat(read("CHANGELOG.md")).contains("## [Unreleased]");
    }

    private static List<String> modules() {
        return all("<module>([^<]+)</module>", ROOT);
    }

    private static String ownArtifactId(String pom) {
        return all("<artifactId>([^<]+)</artifactId>", pom.split("</parent>", 2)[1])
                .get(0);
    }

    private static List<String> all(String regex, String text) {
        return Pattern.compile(regex)
                .matcher(text)
                .results()
                .map((match) -> match.group(1))
                .toList();
    }

    private static String read(String file) {
        return SourceTree.read(SourceTree.ROOT.resolve(file));
    }
}
