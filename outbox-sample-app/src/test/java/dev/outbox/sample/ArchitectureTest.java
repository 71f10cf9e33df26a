package dev.outbox.sample;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import dev.outbox.EventType;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private final JavaClasses service =
            new ClassFileImporter().withImportOption(new DoNotIncludeTests()).importPackages("dev.outbox.sample");

    @Test
    void contextsShareOnlyEventsAndInfrastructure() {
        slices().matching("dev.outbox.sample.(*)..")
                .should()
                .notDependOnEachOther()
                .ignoreDependency(resideInAPackage("dev.outbox.sample.adapters.."), alwaysTrue())
                .ignoreDependency(
                        alwaysTrue(),
                        resideInAnyPackage(
                                "dev.outbox.sample.events",
                                "dev.outbox.sample.discord",
                                "dev.outbox.sample.eventbus",
                                "dev.outbox.sample.http",
                                "dev.outbox.sample.web",
                                "dev.outbox.sample.demo"))
                .check(service);
    }

    /** To remove an adapter is to delete its folder. */
    @Test
    void nothingKnowsAnAdapter() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.outbox.sample.adapters..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.outbox.sample.adapters.."))
                .check(service);
        slices().matching("dev.outbox.sample.adapters.(*)..")
                .should()
                .notDependOnEachOther()
                .check(service);
    }

    @Test
    void eventsKnowNoContext() {
        classes()
                .that()
                .resideInAPackage("dev.outbox.sample.events")
                .should()
                .onlyDependOnClassesThat(type(EventType.class)
                        .or(resideInAnyPackage(
                                "java..",
                                "tools.jackson..",
                                "com.fasterxml.jackson.annotation",
                                "dev.outbox.sample.events",
                                "org.jspecify..")))
                .check(service);
    }

    @Test
    void onlyWhatAnApplicationTouchesIsUsedOfTheOutbox() {
        classes()
                .that()
                .resideOutsideOfPackage("dev.outbox.sample.operations")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("dev.outbox", "dev.outbox.kafka", "dev.outbox.sample..")
                        .or(resideOutsideOfPackage("dev.outbox..")))
                .check(service);
    }

    @Test
    void operationsUseThePublicApiOnly() {
        classes()
                .that()
                .resideInAPackage("dev.outbox.sample.operations")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("dev.outbox", "dev.outbox.operations", "dev.outbox.sample..")
                                .or(resideOutsideOfPackage("dev.outbox..")))
                .check(service);
    }

    @Test
    void handlersDoNotSeeKafka() {
        noClasses()
                .that()
                .resideInAPackage("dev.outbox.sample.*..")
                .and()
                .resideOutsideOfPackage("..kafka")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("..kafka..")
                .check(service);
    }

    @Test
    void domainBehindEventBusDoesNotSeeOutbox() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.outbox.sample.trading",
                        "dev.outbox.sample.trading.exchange",
                        "dev.outbox.sample.backtest",
                        "dev.outbox.sample.control",
                        "dev.outbox.sample.eventbus")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.outbox..")
                        .and(resideOutsideOfPackages("dev.outbox.sample..")
                                .or(resideInAnyPackage("dev.outbox.sample.eventbus.outbox", "..worker", "..kafka"))))
                .check(service);
    }
}
