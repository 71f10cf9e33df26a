package dev.outbox.spring.autoconfigure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
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

    private static final JavaClasses STARTER = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.outbox.spring");

    @Test
    void autoConfigurationsArePublicFinalAndRegistered() {
        classes()
                .that()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .bePublic()
                .andShould()
                .haveModifier(JavaModifier.FINAL)
                .check(STARTER);
        methods()
                .that()
                .areDeclaredInClassesThat()
                .areAnnotatedWith(AutoConfiguration.class)
                .should()
                .notBePublic()
                .check(STARTER);
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
                        .getCandidates())
                .containsAll(STARTER.stream()
                        .filter((type) -> type.isAnnotatedWith(AutoConfiguration.class))
                        .map((type) -> type.getName())
                        .toList());
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.outbox.spring.(**)").should().beFreeOfCycles().check(STARTER);
    }

    @Test
    void optionalLibrariesStayInTheirPackages() {
        noClasses()
                .that()
                .resideOutsideOfPackages("..metrics", "..tracing")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.micrometer..")
                .check(STARTER);
        noClasses()
                .that()
                .resideOutsideOfPackage("..health")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot.health..")
                .check(STARTER);
        noClasses()
                .that()
                .resideOutsideOfPackages("..info", "..endpoint")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.boot.actuate..")
                .check(STARTER);
    }

    @Test
    void applicationsOwnMigrationsAreNeverTouched() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.flywaydb..", "org.springframework.boot.flyway..")
                .check(STARTER);
    }
}
