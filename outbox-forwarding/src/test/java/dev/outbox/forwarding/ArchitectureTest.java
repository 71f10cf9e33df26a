package dev.outbox.forwarding;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

class ArchitectureTest {

    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.outbox.forwarding");

    @Test
    void moduleKnowsNoBroker() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.apache.kafka..",
                        "com.rabbitmq..",
                        "org.springframework.kafka..",
                        "org.springframework.amqp..",
                        "org.springframework.integration..",
                        "org.springframework.messaging..")
                .check(MODULE);
    }

    @Test
    void autoConfigurationIsRegistered() {
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
                        .getCandidates())
                .contains(OutboxForwardingAutoConfiguration.class.getName());
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.outbox.forwarding.(**)")
                .should()
                .beFreeOfCycles()
                .check(MODULE);
    }
}
