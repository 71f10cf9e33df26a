package dev.outbox.console;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
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
            .importPackages("dev.outbox.console");

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
                        .map(JavaClass::getName)
                        .toList());
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.outbox.console.(**)").should().beFreeOfCycles().check(MODULE);
    }

    @Test
    void consoleUsesPublicApiAndBackgroundThreads() {
        noClasses()
                .should()
                .dependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(
                                "dev.outbox.internal..", "java.sql..", "org.springframework.jdbc..")
                        .and(not(JavaClass.Predicates.resideInAPackage("dev.outbox.internal.background"))))
                .check(MODULE);
    }

    @Test
    void publicApiIsTheConfiguration() {
        assertThat(MODULE.stream()
                        .filter((type) -> !type.getPackageName().contains(".internal")
                                && type.isTopLevelClass()
                                && type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder("OutboxConsoleAutoConfiguration", "OutboxConsoleProperties");
    }

    @Test
    void onlyOneClassNeedsSpringSecurity() {
        noClasses()
                .that()
                .haveNameNotMatching(".*CsrfField(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.security..")
                .check(MODULE);
    }
}
