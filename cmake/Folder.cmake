# berth_folder(NAME USES folders... LIBS deps...): one static library per source folder, and one test binary
# from its *_test.cc files. USES is the folder's allowed includes; tests may add TEST_USES.
function(berth_folder name)
  cmake_parse_arguments(ARG "" "" "USES;LIBS;TEST_USES;TEST_LIBS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  set(links ${ARG_LIBS})
  foreach(folder IN LISTS ARG_USES)
    list(APPEND links berth_${folder})
  endforeach()

  if(sources)
    add_library(berth_${name} STATIC ${sources})
    target_include_directories(berth_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(berth_${name} PUBLIC ${links})
  else()
    add_library(berth_${name} INTERFACE)
    target_include_directories(berth_${name} INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(berth_${name} INTERFACE ${links})
  endif()

  if(tests)
    set(test_links ${ARG_TEST_LIBS})
    foreach(folder IN LISTS ARG_TEST_USES)
      list(APPEND test_links berth_${folder})
    endforeach()
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE berth_${name} ${test_links} GTest::gmock_main)
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
endfunction()

# berth_embed(TARGET HEADER NAMESPACE SYMBOL=FILE...): files of the repository as string constants.
function(berth_embed target header namespace)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded/${header})
  set(files "")
  foreach(pair IN LISTS ARGN)
    string(REGEX REPLACE "^[^=]+=" "" file ${pair})
    list(APPEND files ${file})
  endforeach()
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${namespace} "-DPAIRS=${ARGN}" -P
            ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
