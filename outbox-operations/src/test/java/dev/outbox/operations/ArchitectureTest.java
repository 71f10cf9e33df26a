package dev.outbox.operations;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.outbox.fixture.ClassCycles;
import dev.outbox.fixture.Rooms;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private static final JavaClasses MODULE = new ClassFileImporter()
            .importUrl(
                    OutboxOperations.class.getProtectionDomain().getCodeSource().getLocation());

    private static final Rooms ROOMS =
            new Rooms(MODULE, "dev.outbox.operations.internal", List.of("replay", "operate", "erase", "inspect"));

    private static final int MOST_API_TYPES = 21;

    @Test
    void arrowsPointDownTheListOfRooms() {
        ROOMS.arrowsPointDown();
    }

    @Test
    void everyInternalClassIsInARoom() {
        ROOMS.haveEveryInternalClass("dev.outbox.operations.internal");
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
    void packagesAndClassesHaveNoCycles() {
        slices().matching("dev.outbox.(**)").should().beFreeOfCycles().check(MODULE);
        assertThat(ClassCycles.of(MODULE)).isEmpty();
    }

    @Test
    void publicApiDoesNotDependOnInternals() {
        noClasses()
                .that()
                .resideInAPackage("dev.outbox.operations")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.outbox.operations.internal..", "dev.outbox.internal..")
                .check(MODULE);
    }

    @Test
    void publicApiStaysSmall() {
        assertThat(MODULE.stream()
                        .filter((type) -> type.getPackageName().equals("dev.outbox.operations"))
                        .filter(JavaClass.Predicates.TOP_LEVEL_CLASSES)
                        .filter((type) -> type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getSimpleName))
                .hasSizeBetween(1, MOST_API_TYPES);
    }

    @Test
    void needsNoFramework() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "io.micrometer..")
                .check(MODULE);
    }
}
