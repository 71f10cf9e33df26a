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
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    OutboxPublisher.class.getProtectionDomain().getCodeSource().getLocation());
    private static final DescribedPredicate<JavaClass> IS_API =
            JavaClass.Predicates.resideInAnyPackage("dev.outbox", "dev.outbox.operations", "dev.outbox.listener");
    /** Mechanisms of the core, from the top down: each may use those below it. */
    private static final List<String> ROOMS = List.of(
            "runtime",
            "metrics",
            "replay",
            "deadletter",
            "retention",
            "operate",
            "inspect",
            "claim",
            "lane",
            "dispatch",
            "publish",
            "registry",
            "poll",
            "notify",
            "lease",
            "schema",
            "payload",
            "audit",
            "background",
            "sql",
            "failure",
            "fault");

    private static final int MOST_API_TYPES = 48;

    @Test
    void arrowsPointDownTheListOfRooms() {
        for (int room = 1; room < ROOMS.size(); room++) {
            String[] above = ROOMS.subList(0, room).stream()
                    .map(ArchitectureTest::packageOf)
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(packageOf(ROOMS.get(room)))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above)
                    .check(CORE);
        }
    }

    @Test
    void everyInternalClassIsInARoom() {
        classes()
                .that()
                .resideInAPackage("dev.outbox.internal..")
                .should()
                .resideInAnyPackage(
                        ROOMS.stream().map(ArchitectureTest::packageOf).toArray(String[]::new))
                .check(CORE);
    }

    private static String packageOf(String room) {
        return "dev.outbox.internal." + room;
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
    void onlyStoresSpeakSql() {
        noClasses()
                .that()
                .resideOutsideOfPackages(packageOf("sql"), packageOf("publish"), packageOf("schema"))
                .and()
                .haveNameNotMatching(".*(Store|Channel|Row|Ref|State|History|Subscriptions|Claims?)(\\$.*)?")
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
