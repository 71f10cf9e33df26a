plugins {
    java
    id("org.springframework.boot") version "4.1.1"
}

repositories {
    mavenLocal()
    mavenCentral()
}

dependencies {
    implementation(platform(org.springframework.boot.gradle.plugin.SpringBootPlugin.BOM_COORDINATES))
    implementation(platform("dev.outbox:outbox-bom:0.1.0-SNAPSHOT"))
    implementation("dev.outbox:outbox-spring-boot-starter")
    implementation("org.springframework.boot:spring-boot-starter-flyway")
    testImplementation("dev.outbox:outbox-spring-boot-starter-test")
    testRuntimeOnly("org.junit.platform:junit-platform-launcher")
}

tasks.test { useJUnitPlatform() }
