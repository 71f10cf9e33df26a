package dev.outbox.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.SourceTree;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;

class SqlHintsTest {

    private static final String MODULES = "outbox-(core|operations|kafka)/src/main/resources/";

    @Test
    void nativeImagesHaveEverySqlFile() {
        RuntimeHints hints = new RuntimeHints();

        AotServices.factories()
                .load(RuntimeHintsRegistrar.class)
                .forEach(
                        (registrar) -> registrar.registerHints(hints, getClass().getClassLoader()));

        assertThat(SourceTree.files("", MODULES + ".*\\.sql"))
                .hasSizeGreaterThan(10)
                .allSatisfy((file) -> assertThat(hints)
                        .matches(RuntimeHintsPredicates.resource()
                                .forResource(SourceTree.relative(file).replaceFirst(MODULES, ""))));
    }
}
