import{g as r}from"./chunk-RLH3V6A7.js";function d(s){return r("h1",{children:"Start"})}export{d as Screen};
