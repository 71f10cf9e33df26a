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
                .layer("fault")
                .definedBy("dev.outbox.fault")
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
                .whereLayer("fault")
                .mayNotAccessAnyLayer()
                .whereLayer("duty")
                .mayOnlyAccessLayers("fault")
                .whereLayer("observe")
                .mayNotAccessAnyLayer()
                .whereLayer("store")
                .mayOnlyAccessLayers("root", "fault")
                .whereLayer("schema")
                .mayOnlyAccessLayers("root", "store", "fault")
                .whereLayer("publish")
                .mayOnlyAccessLayers("root", "store", "observe", "fault")
                .whereLayer("dispatch")
                .mayOnlyAccessLayers("root", "store", "retry", "duty", "observe", "fault")
                .whereLayer("poll")
                .mayOnlyAccessLayers("root", "store", "dispatch", "duty", "observe", "fault")
                .whereLayer("repair")
                .mayOnlyAccessLayers("root", "store", "dispatch", "retry", "duty", "observe", "fault")
                .whereLayer("retention")
                .mayOnlyAccessLayers("store", "duty", "fault")
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
