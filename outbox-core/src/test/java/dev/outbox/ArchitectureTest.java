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
import dev.outbox.fixture.ClassCycles;
import dev.outbox.fixture.Rooms;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses CORE = new ClassFileImporter()
            .importUrl(
                    OutboxPublisher.class.getProtectionDomain().getCodeSource().getLocation());
    private static final DescribedPredicate<JavaClass> IS_API =
            JavaClass.Predicates.resideInAnyPackage("dev.outbox", "dev.outbox.listener");
    private static final Rooms ROOMS = new Rooms(
            CORE,
            "dev.outbox.internal",
            List.of(
                    "metrics",
                    "runtime",
                    "gauges",
                    "schedule",
                    "deadletter",
                    "retention",
                    "absence",
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
                    "fault"));

    private static final int MOST_API_TYPES = 51;

    @Test
    void arrowsPointDownTheListOfRooms() {
        ROOMS.arrowsPointDown();
    }

    @Test
    void engineKnowsNoOperators() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.outbox.operations..")
                .check(CORE);
    }

    @Test
    void everyInternalClassIsInARoom() {
        ROOMS.haveEveryInternalClass();
    }

    @Test
    void publicTypesOfARoomStandInItsPackageInfo() {
        ROOMS.nameTheirPublicTypes();
    }

    @Test
    void tablesOfARoomStandInItsPackageInfo() {
        ROOMS.nameTheirTables();
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("dev.(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void classesOfAPackageHaveNoCycles() {
        assertThat(ClassCycles.of(CORE)).isEmpty();
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
                .resideOutsideOfPackages(ROOMS.packageOf("sql"), ROOMS.packageOf("publish"), ROOMS.packageOf("schema"))
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
