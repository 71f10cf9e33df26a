package dev.outbox;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.Architectures;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    OutboxPublisher.class.getProtectionDomain().getCodeSource().getLocation());
    private static final DescribedPredicate<JavaClass> IS_API =
            JavaClass.Predicates.resideInAnyPackage("dev.outbox", "dev.outbox.operations", "dev.outbox.listener");
    private static final int MOST_API_TYPES = 48;

    @Test
    void arrowsBetweenPackagesAreThoseOfTheDesign() {
        Architectures.layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("root")
                .definedBy("dev.outbox")
                .layer("retry")
                .definedBy("dev.outbox.internal.retry")
                .layer("operations")
                .definedBy("dev.outbox.operations")
                .layer("listener")
                .definedBy("dev.outbox.listener")
                .layer("failure")
                .definedBy("dev.outbox.internal.failure")
                .layer("fault")
                .definedBy("dev.outbox.internal.fault")
                .layer("delivery")
                .definedBy("dev.outbox.internal.delivery")
                .layer("background")
                .definedBy("dev.outbox.internal.background")
                .layer("store")
                .definedBy("dev.outbox.internal.store")
                .layer("schema")
                .definedBy("dev.outbox.internal.schema")
                .layer("publish")
                .definedBy("dev.outbox.internal.publish")
                .layer("payload")
                .definedBy("dev.outbox.internal.payload")
                .layer("dispatch")
                .definedBy("dev.outbox.internal.dispatch")
                .layer("processing")
                .definedBy("dev.outbox.internal.processing")
                .layer("internal operations")
                .definedBy("dev.outbox.internal.operations")
                .layer("maintenance")
                .definedBy("dev.outbox.internal.maintenance")
                .layer("metrics")
                .definedBy("dev.outbox.internal.metrics")
                .layer("runtime")
                .definedBy("dev.outbox.internal.runtime")
                .whereLayer("root")
                .mayNotAccessAnyLayer()
                .whereLayer("retry")
                .mayNotAccessAnyLayer()
                .whereLayer("operations")
                .mayOnlyAccessLayers("root")
                .whereLayer("listener")
                .mayOnlyAccessLayers("root")
                .whereLayer("failure")
                .mayOnlyAccessLayers("root", "fault")
                .whereLayer("fault")
                .mayNotAccessAnyLayer()
                .whereLayer("delivery")
                .mayOnlyAccessLayers("root", "operations", "failure")
                .whereLayer("background")
                .mayOnlyAccessLayers("fault")
                .whereLayer("store")
                .mayOnlyAccessLayers("root", "operations", "fault", "delivery", "failure")
                .whereLayer("schema")
                .mayOnlyAccessLayers("root", "store", "fault", "failure")
                .whereLayer("publish")
                .mayOnlyAccessLayers("root", "listener", "store", "delivery", "dispatch", "payload", "failure", "fault")
                .whereLayer("payload")
                .mayOnlyAccessLayers("root", "failure")
                .whereLayer("dispatch")
                .mayOnlyAccessLayers(
                        "root", "retry", "listener", "store", "delivery", "failure", "payload", "background", "fault")
                .whereLayer("processing")
                .mayOnlyAccessLayers(
                        "root", "listener", "store", "delivery", "failure", "dispatch", "background", "fault")
                .whereLayer("internal operations")
                .mayOnlyAccessLayers("root", "retry", "operations", "store", "delivery", "failure", "dispatch", "fault")
                .whereLayer("maintenance")
                .mayOnlyAccessLayers(
                        "root",
                        "operations",
                        "listener",
                        "store",
                        "delivery",
                        "failure",
                        "dispatch",
                        "background",
                        "internal operations",
                        "fault")
                .whereLayer("metrics")
                .mayOnlyAccessLayers("root", "listener", "store")
                .whereLayer("runtime")
                .mayNotBeAccessedByAnyLayer()
                .check(CORE);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void publicApiDoesNotDependOnInternals() {
        noClasses()
                .that(IS_API)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.outbox.internal..")
                .check(CORE);
    }

    @Test
    void publicApiStaysSmall() {
        assertThat(CORE.stream()
                        .filter(IS_API.and(JavaClass.Predicates.TOP_LEVEL_CLASSES))
                        .filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .hasSizeBetween(1, MOST_API_TYPES);
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
                .resideOutsideOfPackages(
                        "dev.outbox.internal.store", "dev.outbox.internal.publish", "dev.outbox.internal.schema")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.sql\\.(Connection|PreparedStatement|Statement|ResultSet)")
                .check(CORE);
    }

    @Test
    void onlyTheMetricsNeedMicrometer() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.outbox.internal.metrics")
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
