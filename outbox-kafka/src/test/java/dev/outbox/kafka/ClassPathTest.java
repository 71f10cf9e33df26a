package dev.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only applications that ask for Kafka get Kafka. */
class ClassPathTest {

    @ParameterizedTest
    @ValueSource(strings = {"outbox-core", "outbox-spring-boot-starter"})
    void coreAndStarterDoNotKnowKafka(String module) {
        assertThat(SourceTree.files(module, module + "/(pom\\.xml|src/main/.*)"))
                .hasSizeGreaterThan(10)
                .allSatisfy((file) -> assertThat(SourceTree.read(file))
                        .doesNotContain(
                                "org.apache.kafka", "org.springframework.kafka", "spring-kafka", "kafka-clients")
                        .doesNotContain("spring-boot-starter-kafka", "outbox-kafka"));
    }

    @Test
    void clientHasTheSupportedVersion() {
        assertThat(SourceTree.read(SourceTree.ROOT.resolve("UPGRADING.md")))
                .containsPattern("\\n\\|( [^|]+ \\|){4} \\Q" + AppInfoParser.getVersion() + "\\E \\|");
    }
}
