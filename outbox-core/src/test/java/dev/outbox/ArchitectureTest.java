package dev.outbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    OutboxPublisher.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void arrowsBetweenPackagesAreThoseOfTheDesign() {
        Architectures.layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("root")
                .definedBy("dev.outbox")
                .layer("retry")
                .definedBy("dev.outbox.retry")
                .layer("duty")
                .definedBy("dev.outbox.duty")
                .layer("observe")
                .definedBy("dev.outbox.observe")
                .layer("store")
                .definedBy("dev.outbox.store")
                .layer("schema")
                .definedBy("dev.outbox.schema")
                .layer("publish")
                .definedBy("dev.outbox.publish")
                .layer("dispatch")
                .definedBy("dev.outbox.dispatch")
                .layer("poll")
                .definedBy("dev.outbox.poll")
                .layer("repair")
                .definedBy("dev.outbox.repair")
                .layer("retention")
                .definedBy("dev.outbox.retention")
                .layer("metrics")
                .definedBy("dev.outbox.metrics")
                .layer("runtime")
                .definedBy("dev.outbox.runtime")
                .whereLayer("root")
                .mayNotAccessAnyLayer()
                .whereLayer("retry")
                .mayNotAccessAnyLayer()
                .whereLayer("duty")
                .mayNotAccessAnyLayer()
                .whereLayer("observe")
                .mayNotAccessAnyLayer()
                .whereLayer("store")
                .mayOnlyAccessLayers("root")
                .whereLayer("schema")
                .mayOnlyAccessLayers("root", "store")
                .whereLayer("publish")
                .mayOnlyAccessLayers("root", "store", "observe")
                .whereLayer("dispatch")
                .mayOnlyAccessLayers("root", "store", "retry", "duty", "observe")
                .whereLayer("poll")
                .mayOnlyAccessLayers("root", "store", "dispatch", "duty", "observe")
                .whereLayer("repair")
                .mayOnlyAccessLayers("root", "store", "dispatch", "retry", "duty", "observe")
                .whereLayer("retention")
                .mayOnlyAccessLayers("store", "duty")
                .whereLayer("metrics")
                .mayOnlyAccessLayers("store", "observe")
                .whereLayer("runtime")
                .mayNotBeAccessedByAnyLayer()
                .check(CORE);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void coreDoesNotSeeSpringBoot() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .check(CORE);
    }

    @Test
    void onlyTheStoreSpeaksSql() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.outbox.store", "dev.outbox.publish", "dev.outbox.schema")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.sql\\.(Connection|PreparedStatement|Statement|ResultSet)")
                .check(CORE);
    }

    @Test
    void onlyTheMetricsNeedMicrometer() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.outbox.metrics")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.micrometer..")
                .check(CORE);
    }

    @Test
    void classesAreFinalUnlessMeantForOthers() {
        classes()
                .that()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .areNotAnonymousClasses()
                .and()
                .doNotHaveModifier(JavaModifier.ABSTRACT)
                .and()
                .doNotHaveModifier(JavaModifier.SYNTHETIC)
                .and()
                .areNotAssignableTo(RuntimeException.class)
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(CORE);
    }
}
