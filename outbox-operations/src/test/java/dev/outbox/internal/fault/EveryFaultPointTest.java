package dev.outbox.internal.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.outbox.operations.OutboxOperations;
import java.net.URL;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class EveryFaultPointTest {

    /** The engine, and what operators do to it. */
    private static final List<URL> CODE = List.of(
            FaultPoint.class.getProtectionDomain().getCodeSource().getLocation(),
            OutboxOperations.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void isReachedSomewhere() {
        Set<String> used = new ClassFileImporter()
                .importUrls(CODE).get(FaultPoint.class).getFieldAccessesToSelf().stream()
                        .filter((access) -> !access.getOriginOwner().isEquivalentTo(FaultPoint.class))
                        .map(JavaFieldAccess::getName)
                        .collect(Collectors.toSet());

        assertThat(used)
                .isEqualTo(EnumSet.allOf(FaultPoint.class).stream()
                        .map(FaultPoint::name)
                        .collect(Collectors.toSet()));
    }
}
