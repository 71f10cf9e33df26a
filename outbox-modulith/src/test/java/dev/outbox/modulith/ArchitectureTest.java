package dev.outbox.modulith;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

class ArchitectureTest {

    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.outbox.modulith");

    @Test
    void autoConfigurationsArePublicFinalAndRegistered() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .bePublic()
                .andShould()
                .haveModifier(JavaModifier.FINAL)
                .check(MODULE);
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
                        .getCandidates())
                .containsAll(MODULE.stream()
                        .filter((type) -> type.isAnnotatedWith(AutoConfiguration.class))
                        .map((type) -> type.getName())
                        .toList());
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.outbox.modulith.(**)").should().beFreeOfCycles().check(MODULE);
    }
}
